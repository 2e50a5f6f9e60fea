//! Modules that are signed: who vouches for a program, said in the module itself.
//!
//! A signature is a custom section at the module's end, so that it travels with the file wherever that goes, and a runtime
//! that knows nothing of it ignores it. It covers every byte before the first such section: several people can sign a
//! module, one after the other, and nothing can be put between or behind.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context as _, Result, bail, ensure};
use ed25519_compact::{KeyPair, PublicKey, Seed, Signature};
use serde::Deserialize;

use crate::grid::names::is_name;

/// The name of the sections.
const SECTION: &str = "rankine.signature";

/// What is signed begins with this, so that a signature of a module is one of nothing else.
const PURPOSE: &[u8] = b"rankine module 1\n";

/// How keys begin, as text.
const SCHEME: &str = "ed25519:";

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
            ensure!(is_name(&name), "`{}` can't be the name of a signer", crate::shown::line(&name));
            let key = parse(&text).map(PublicKey::new);
            let key = key.with_context(|| format!("the key of {}", crate::shown::line(&name)))?;
            Ok((name, key))
        };
        Ok(Signers(table.into_iter().map(key).collect::<Result<_>>()?))
    }
}

impl Signers {
    /// Those in a file, a line each (`name = "ed25519:…"`), or in a list (`name=ed25519:…,…`), as ranks are given them.
    pub fn read(wanted: &str) -> Result<Signers> {
        if wanted.contains("=ed25519:") {
            let pairs = wanted.split(',').filter_map(|pair| pair.split_once('='));
            return Signers::try_from(pairs.map(|(name, key)| (name.into(), key.into())).collect::<BTreeMap<_, _>>());
        }
        let text = std::fs::read_to_string(wanted).with_context(|| format!("can't read the keys in {wanted}"))?;
        let signers: Signers = toml::from_str(&text).with_context(|| format!("the keys in {wanted}"))?;
        ensure!(!signers.0.is_empty(), "{wanted} has no keys");
        Ok(signers)
    }

    /// The same, as a list.
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

    /// The same; a module that none has signed is refused.
    pub fn require(&self, bytes: &[u8], path: &Path, who: &str) -> Result<&str> {
        let signer = self.signer(bytes).with_context(|| path.display().to_string())?;
        signer.with_context(|| {
            let names: Vec<&str> = self.0.iter().map(|(name, _)| name.as_str()).collect();
            format!(
                "{} is not run: {who} requires the signature of one of {}, and it has no valid one; whoever vouches \
                 for it signs it with `rankine sign`",
                path.display(),
                names.join(", ")
            )
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

/// A signature, and the public key that it is of.
type Signed = ([u8; 32], Signature);

/// What is signed of a module's file, and the signatures behind it: nothing else may follow.
fn split(bytes: &[u8]) -> Result<(&[u8], Vec<Signed>)> {
    let start = bytes.windows(4).take(512).position(|window| window == b"\0asm").context("it is not a module")?;
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
    Ok((format!("{SCHEME}secret:{}", hex(&secret)), text(&public[..])))
}

/// The key in the text of a secret's file.
pub fn secret(text: &str) -> Result<KeyPair> {
    let digits = text.trim().strip_prefix(SCHEME).and_then(|rest| rest.strip_prefix("secret:"));
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
            error.contains("a.wasm is not run") && error.contains("k1") && error.contains("rankine sign"),
            "{error}"
        );
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
}
