//! Modules that are signed: who vouches for a program, said in the module itself.
//!
//! A signature is a custom section at the module's end, so that it travels with the file wherever that goes, and a runtime
//! that knows nothing of it ignores it. It covers every byte before the first such section: several people can sign a
//! module, one after the other, and nothing can be put between or behind.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use ed25519_compact::{KeyPair, PublicKey, Seed, Signature};
use serde::{Deserialize, Serialize};

use crate::module;
use rankine_grid::names::is_name;
use rankine_system::shown;
use rankine_system::trust::{Found, Notes};

/// The name of the sections.
const SECTION: &str = "rankine.signature";

/// What is signed begins with this, so that a signature of a module is one of nothing else.
const PURPOSE: &[u8] = b"rankine module 1\n";

/// How keys begin, as text.
const SCHEME: &str = "ed25519:";

/// How secret keys begin.
const SECRET: &str = shown::SECRET;

/// What is wanted where a secret was given.
const WANTED: &str = "who runs programs needs the file with the public one";

/// Bytes of a file with keys.
const LONGEST: u64 = 1 << 20;

/// Bytes of a section: the public key, the signature.
const LENGTH: usize = 32 + 64;

/// Signatures of a module: more mean nothing.
const MOST: usize = 64;

/// Whose signatures count: names, and their public keys.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(try_from = "BTreeMap<String, String>")]
pub struct Signers(Vec<(String, PublicKey)>);

impl TryFrom<BTreeMap<String, String>> for Signers {
    type Error = anyhow::Error;

    fn try_from(table: BTreeMap<String, String>) -> Result<Signers> {
        let key = |(name, text): (String, String)| {
            ensure!(is_name(&name), "`{}` can't be the name of a signer", rankine_system::shown::line(&name));
            let key = parse(&text).map(PublicKey::new);
            let key = key.with_context(|| format!("the key of {}", rankine_system::shown::line(&name)))?;
            Ok((name, key))
        };
        Ok(Signers(table.into_iter().map(key).collect::<Result<_>>()?))
    }
}

impl Signers {
    /// Those in a file, a line each (`name = "ed25519:…"`), or in a list (`name=ed25519:…,…`), as ranks are given them.
    pub fn read(wanted: &str) -> Result<Signers> {
        ensure!(!wanted.contains(SECRET), "this is a secret key; {WANTED}");
        if wanted.contains("=ed25519:") {
            let pairs = wanted.split(',').filter_map(|pair| pair.split_once('='));
            return Signers::try_from(pairs.map(|(name, key)| (name.into(), key.into())).collect::<BTreeMap<_, _>>());
        }
        let says = "says whose signatures count";
        let text = Notes::of_user().read_deciding(Path::new(wanted), says, Found::Named, LONGEST)?;
        ensure!(
            !text.contains(SECRET),
            "{wanted} has a secret key in it, which only its owner should have; {WANTED}, such as {wanted}.pub"
        );
        // Lines of a file that is meant to be something else are not shown.
        let signers: Result<Signers, _> = toml::from_str(&text);
        let signers = signers.map_err(|error| anyhow!(shown::toml(&error, &text)));
        let signers = signers.with_context(|| format!("the keys in {wanted}"))?;
        ensure!(!signers.0.is_empty(), "{wanted} has no keys");
        Ok(signers)
    }

    /// Names and keys as a list.
    pub fn words(&self) -> String {
        let pair = |(name, key): &(String, PublicKey)| format!("{name}={}", text(&key[..]));
        self.0.iter().map(pair).collect::<Vec<_>>().join(",")
    }

    /// Who of them has signed these bytes of a module's file.
    pub fn signer(&self, bytes: &[u8]) -> Result<Option<&str>> {
        let (signed, signatures) = split(bytes)?;
        let message = message(signed);
        let by = |key: &PublicKey| {
            let mut own = signatures.iter().filter(|(of, _)| of[..] == key[..]);
            own.any(|(_, signature)| key.verify(&message, signature).is_ok())
        };
        Ok(self.0.iter().find(|(_, key)| by(key)).map(|(name, _)| name.as_str()))
    }

    /// Who has signed a module; one that none has signed is refused.
    pub fn require(&self, bytes: &[u8], path: &Path, who: &str) -> Result<&str> {
        let signer = self.signer(bytes).with_context(|| path.display().to_string())?;
        if let Some(signer) = signer {
            return Ok(signer);
        }
        let why = self.why_not(bytes)?;
        bail!("{} is not run: {who} requires the signature of {}, and {why}", path.display(), self.names())
    }

    /// Their names.
    fn names(&self) -> String {
        let names: Vec<&str> = self.0.iter().map(|(name, _)| name.as_str()).collect();
        if let [name] = names[..] { name.into() } else { format!("one of {}", names.join(", ")) }
    }

    /// Why none of them counts as having signed a module: nobody has, it was changed since, or others have.
    pub fn why_not(&self, bytes: &[u8]) -> Result<String> {
        let signatures = signatures(bytes)?;
        let name = |signed: &Signed| {
            let known = self.0.iter().find(|(_, key)| text(&key[..]) == signed.key);
            known.map_or_else(|| signed.key.clone(), |(name, _)| name.clone())
        };
        Ok(match &signatures[..] {
            [] => "it is not signed; whoever vouches for it signs it: `rankine sign KEY FILE`".into(),
            list => match list.iter().find(|signed| !signed.holds) {
                Some(changed) => format!(
                    "it was changed after {} had signed it; get it again from where it comes from, or have it signed again",
                    name(changed)
                ),
                None => {
                    let keys: Vec<String> = list.iter().map(name).collect();
                    format!("it is signed by somebody else: {}", keys.join(", "))
                }
            },
        })
    }
}

/// Whose signatures a job's programs must have, and who wants them.
#[derive(Clone, Debug, Default)]
pub struct Demands {
    /// Those of `--require-signature`.
    pub of_user: Option<Signers>,
    /// Those of this machine's policy.
    pub of_machine: Option<Signers>,
}

impl Demands {
    /// Refuses a module that lacks a signature which is wanted; who has signed it, if that was asked.
    pub fn check(&self, bytes: &[u8], path: &Path) -> Result<Option<String>> {
        let mut signer = None;
        for (signers, who) in [(&self.of_user, "--require-signature"), (&self.of_machine, "the policy of this machine")]
        {
            if let Some(signers) = signers {
                signer = Some(signers.require(bytes, path, who)?.to_string());
            }
        }
        Ok(signer)
    }

    /// What the option is for other processes of the job: each has its own machine's policy.
    pub fn words(&self) -> Option<String> {
        self.of_user.as_ref().map(Signers::words)
    }
}

/// What is signed: a digest of the bytes, under the name of its purpose.
fn message(signed: &[u8]) -> Vec<u8> {
    [PURPOSE, blake3::hash(signed).as_bytes()].concat()
}

/// A module with one more signature.
pub fn sign(module: &[u8], key: &KeyPair) -> Result<Vec<u8>> {
    let (signed, signatures) = split(module)?;
    ensure!(signatures.len() < MOST, "it has {MOST} signatures already");
    let signature = key.sk.sign(message(signed), None);
    let data = [&key.pk[..], &signature[..]].concat();
    let section = wasm_encoder::CustomSection { name: SECTION.into(), data: data.into() };
    let mut bytes = module.to_vec();
    bytes.push(wasm_encoder::SectionId::Custom as u8);
    wasm_encoder::Encode::encode(&section, &mut bytes);
    Ok(bytes)
}

/// A signature of a module, as it is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Signed {
    /// The public key.
    pub key: String,
    /// It is of the module as it is now.
    pub holds: bool,
}

/// The signatures in a module's file.
pub fn signatures(bytes: &[u8]) -> Result<Vec<Signed>> {
    let (signed, signatures) = split(bytes)?;
    let message = message(signed);
    let shown = |(key, signature): &Of| Signed {
        key: text(key),
        holds: PublicKey::from_slice(key).is_ok_and(|key| key.verify(&message, signature).is_ok()),
    };
    Ok(signatures.iter().map(shown).collect())
}

/// A signature, and the public key that it is of.
type Of = ([u8; 32], Signature);

/// What is signed of a module's file, and the signatures behind it: nothing else may follow.
fn split(bytes: &[u8]) -> Result<(&[u8], Vec<Of>)> {
    let start = module::first_line(bytes);
    ensure!(bytes[start..].starts_with(b"\0asm"), "it is not a module, and only modules are signed");
    ensure!(!wasmparser::Parser::is_component(&bytes[start..]), "it is a component, and only modules are signed");
    let mut end = None;
    let mut signatures = Vec::new();
    let mut before = 8;
    for payload in wasmparser::Parser::new(0).parse_all(&bytes[start..]) {
        let payload = payload.context("it is not a module")?;
        let section = match &payload {
            wasmparser::Payload::CustomSection(section) if section.name() == SECTION => Some(section),
            _ => None,
        };
        match section {
            Some(section) => {
                end.get_or_insert(start + before);
                let data: &[u8; LENGTH] = section.data().try_into().ok().context("a signature of it is damaged")?;
                let (key, signature) = data.split_first_chunk().expect("it is longer");
                ensure!(signatures.len() < MOST, "it has more than {MOST} signatures");
                signatures.push((*key, Signature::from_slice(signature)?));
            }
            None => {
                let is_section = payload.as_section().is_some();
                ensure!(!is_section || end.is_none(), "there are bytes after its signature");
            }
        }
        if let Some((_, range)) = payload.as_section() {
            before = usize::try_from(range.end)?;
        }
    }
    Ok((&bytes[..end.unwrap_or(bytes.len())], signatures))
}

/// A new key: the secret's text, and the public key's.
pub fn new_key() -> Result<(String, String)> {
    let mut secret = [0; Seed::BYTES];
    getrandom::fill(&mut secret)?;
    let public = KeyPair::from_seed(Seed::new(secret)).pk;
    Ok((format!("{SECRET}{}", hex(&secret)), text(&public[..])))
}

/// The key in the text of a secret's file.
pub fn secret(text: &str) -> Result<KeyPair> {
    let digits = text.trim().strip_prefix(SECRET);
    let digits = digits.context("this is not a secret key; `rankine sign --new FILE` makes one")?;
    Ok(KeyPair::from_seed(Seed::new(bytes(digits)?)))
}

fn text(key: &[u8]) -> String {
    format!("{SCHEME}{}", hex(key))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A public key from its text.
fn parse(text: &str) -> Result<[u8; 32]> {
    bytes(text.strip_prefix(SCHEME).context("a key begins with `ed25519:`")?)
}

fn bytes(digits: &str) -> Result<[u8; 32]> {
    ensure!(digits.len() == 64 && digits.is_ascii(), "a key has 64 hexadecimal digits");
    let mut bytes = [0; 32];
    for (byte, pair) in bytes.iter_mut().zip(digits.as_bytes().chunks(2)) {
        let pair = std::str::from_utf8(pair)?;
        match u8::from_str_radix(pair, 16) {
            Ok(value) if !pair.starts_with('+') => *byte = value,
            _ => bail!("a key has 64 hexadecimal digits"),
        }
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(seed: u8) -> (KeyPair, String) {
        let key = KeyPair::from_seed(Seed::new([seed; 32]));
        let line = format!("k{seed}={}", text(&key.pk[..]));
        (key, line)
    }

    fn module() -> Vec<u8> {
        wat::parse_str("(module (memory (export \"memory\") 1) (func (export \"_start\")))").unwrap()
    }

    #[test]
    fn who_has_signed_is_known() {
        let ((one, line), (two, other)) = (key(1), key(2));
        let signers = Signers::read(&line).unwrap();
        let all = Signers::read(&format!("{line},{other}")).unwrap();
        let plain = module();
        assert_eq!(signers.signer(&plain).unwrap(), None);
        let signed = sign(&plain, &one).unwrap();
        wasmparser::validate(&signed).unwrap();
        assert_eq!(signers.signer(&signed).unwrap(), Some("k1"));
        let by_two = sign(&plain, &two).unwrap();
        assert_eq!((signers.signer(&by_two).unwrap(), all.signer(&by_two).unwrap()), (None, Some("k2")));
        // Both, in whichever order.
        let both = sign(&sign(&plain, &two).unwrap(), &one).unwrap();
        assert_eq!(signers.signer(&both).unwrap(), Some("k1"));
        assert_eq!(Signers::read(&other).unwrap().signer(&both).unwrap(), Some("k2"));
        let error = signers.require(&plain, Path::new("a.wasm"), "--require-signature").unwrap_err().to_string();
        assert!(
            error.contains("a.wasm is not run")
                && error.contains("the signature of k1")
                && error.contains("it is not signed; ")
                && error.contains("rankine sign"),
            "{error}"
        );
        let why = |signers: &Signers, bytes: &[u8]| signers.why_not(bytes).unwrap();
        assert_eq!(why(&signers, &by_two), format!("it is signed by somebody else: {}", text(&two.pk[..])));
        let mut changed = signed.clone();
        // A byte of the code.
        let at = plain.len() - 2;
        changed[at] ^= 1;
        assert!(
            why(&signers, &changed).starts_with("it was changed after k1 had signed it"),
            "{}",
            why(&signers, &changed)
        );
        assert_eq!(signatures(&both).unwrap().iter().map(|signed| signed.holds).collect::<Vec<_>>(), [true, true]);
        assert_eq!(Signers::read(&all.words()).unwrap().signer(&by_two).unwrap(), Some("k2"));
    }

    /// Whatever byte is changed, removed or added: the signature does not hold, or the file is no module.
    #[test]
    fn a_change_breaks_the_signature() {
        let (one, line) = key(1);
        let signers = Signers::read(&line).unwrap();
        let signed = sign(&module(), &one).unwrap();
        let is_signed = |bytes: &[u8]| signers.signer(bytes).is_ok_and(|signer| signer.is_some());
        assert!(is_signed(&signed));
        for at in 0..signed.len() {
            let mut changed = signed.clone();
            changed[at] ^= 1;
            assert!(!is_signed(&changed), "byte {at}");
            assert!(!is_signed(&signed[..at]), "cut at {at}");
        }
        // A section behind: an empty custom one, named `x`.
        assert!(!is_signed(&[&signed[..], &[0, 2, 1, b'x']].concat()));
        // The signature of another module.
        let other = wat::parse_str("(module (memory (export \"memory\") 2) (func (export \"_start\")))").unwrap();
        assert!(!is_signed(&[&other[..], &signed[module().len()..]].concat()));
    }

    /// What is signed is the module that is run, with the line before it; a text is none, whatever it has in it.
    #[test]
    fn what_is_run_is_what_is_signed() {
        let (one, line) = key(1);
        let signers = Signers::read(&line).unwrap();
        let runnable = [b"#!/bin/rankine run\n", &module()[..]].concat();
        let signed = sign(&runnable, &one).unwrap();
        assert_eq!(signers.signer(&signed).unwrap(), Some("k1"));
        module::translate(Path::new("a"), signed.clone()).unwrap();
        for changed in [&signed[1..], &signed[19..], &[b"#!/bin/other run\n", &signed[19..]].concat()[..]] {
            assert!(!signers.signer(changed).is_ok_and(|signer| signer.is_some()));
        }
        // A module in the line, in front of the one that would be run, or in a text's comment.
        let inner = sign(&module(), &one).unwrap();
        let behind = |before: &[u8], after: &[u8]| [before, &inner[..], after].concat();
        for odd in [
            behind(b"#!", b"\n"),
            behind(b"#!", &[b"\n", &module()[..]].concat()),
            behind(b"#!/bin/rankine run ", b""),
            behind(b"(;", b";) (module)"),
            behind(b"\n", b""),
            [b"\0asm\x0d\0\x01\0", &inner[8..]].concat(),
            behind(b"#!/bin/rankine run\n\n", b""),
        ] {
            let text = signers.signer(&odd).unwrap_err().to_string();
            assert!(text.contains("only modules are signed"), "{text}");
            assert!(sign(&odd, &one).is_err());
            assert!(module::translate(Path::new("a.wasm"), odd).is_err());
        }
    }

    #[test]
    fn keys_are_text() {
        let (made, public) = new_key().unwrap();
        let key = secret(&format!("{made}\n")).unwrap();
        assert_eq!(text(&key.pk[..]), public);
        assert!(secret(&public).is_err() && secret("").is_err());
        for wrong in ["", "ed25519:00", "rsa:00", &format!("ed25519:{}", "zz".repeat(32))] {
            assert!(toml::from_str::<Signers>(&format!("a = \"{wrong}\"")).is_err(), "{wrong}");
        }
        assert!(toml::from_str::<Signers>(&format!("\"a,b\" = \"{public}\"")).is_err());
        assert!(toml::from_str::<Signers>(&format!("ada = \"{public}\"")).is_ok());
        assert!(Signers::read("/no/such/keys").is_err());
    }

    #[test]
    fn no_error_shows_a_secret() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ada");
        let (secret, public) = new_key().unwrap();
        let digits = secret.strip_prefix(SECRET).unwrap();
        let texts = [
            secret.clone(),
            format!("ada = \"{secret}\""),
            format!("ada = \"{public}\"\n{secret}\n"),
            format!("{public}\n{digits}"),
            format!("ada = {digits}"),
        ];
        let mut errors = vec![format!("{:#}", Signers::read(&secret).unwrap_err())];
        for text in texts {
            std::fs::write(&file, text).unwrap();
            errors.push(format!("{:#}", Signers::read(file.to_str().unwrap()).unwrap_err()));
        }
        assert!(errors[1].contains("ada has a secret key in it") && errors[1].contains("ada.pub"), "{}", errors[1]);
        assert!(errors[4].contains("line 1"), "{}", errors[4]);
        assert!(errors.iter().all(|error| !error.contains(&digits[..16])), "{errors:#?}");
    }
}
