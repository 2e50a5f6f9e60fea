//! Programs that this user has compiled: sealed by the user's own key, whatever else a file says of itself.
//!
//! The seal is the last section of the module, and of all that comes before it.

use crate::secret::Secret;

/// The section, up to the seal: a custom one, its length, its name's length and its name.
const HEAD: &[u8] = b"\x00\x32\x11rankine.made-here";
const SEAL: usize = 32;
/// What the key says it of.
const NAME: &str = "a program of this user's";

/// Seals a module, if there is a key.
pub fn seal(module: &mut Vec<u8>) {
    if let Ok(secret) = Secret::of_user() {
        seal_by(secret, module);
    }
}

/// Whether this user has compiled the module.
pub fn is_sealed(module: &[u8]) -> bool {
    Secret::of_user().is_ok_and(|secret| is_sealed_by(secret, module))
}

fn seal_by(secret: &Secret, module: &mut Vec<u8>) {
    let seal = secret.seal(NAME, module);
    module.extend(HEAD);
    module.extend(seal.as_bytes());
}

fn is_sealed_by(secret: &Secret, module: &[u8]) -> bool {
    let parts = module.split_last_chunk::<SEAL>();
    let sealed = parts.and_then(|(rest, seal)| Some((rest.strip_suffix(HEAD)?, seal)));
    sealed.is_some_and(|(code, seal)| secret.seal(NAME, code) == blake3::Hash::from_bytes(*seal))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_who_has_the_key_can_seal() {
        let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let [own, other] = [0, 1].map(|at: usize| Secret::open_in(&folders[at].path().join("state")).unwrap());
        let mut module = b"\0asm\x01\0\0\0".to_vec();
        assert!(!is_sealed_by(&own, &module));
        seal_by(&own, &mut module);
        assert!(is_sealed_by(&own, &module) && !is_sealed_by(&other, &module));
        // The section's length is what its head says.
        assert_eq!(usize::from(HEAD[1]), HEAD.len() - 2 + SEAL);
        for at in [4, 9, module.len() - 1] {
            let mut changed = module.clone();
            changed[at] ^= 1;
            assert!(!is_sealed_by(&own, &changed), "{at}");
        }
    }
}
