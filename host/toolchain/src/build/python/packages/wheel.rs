//! A wheel as it is unpacked: which package it is, which of its files are modules, where the others belong.

use super::super::linked::Module;
use crate::folder::copy_tree;
use anyhow::{Context as _, Result, ensure};
use std::fs;
use std::path::{Path, PathBuf};

/// What is known of a package.
#[derive(Debug)]
pub(super) struct Wheel {
    /// As packages' names are compared.
    pub(super) name: String,
    pub(super) version: String,
    /// Names of other packages that it needs.
    pub(super) needs: Vec<String>,
    /// What its folders of metadata and of data begin with.
    stem: String,
}

/// A module whose function is named by the whole of its name, since several may have the same last part.
pub(super) fn module(name: &str) -> Module {
    let letters = name.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' });
    Module { name: name.to_owned(), function: format!("PyInit_{}_of_{}", letters.collect::<String>(), name.len()) }
}

/// The name that a requirement begins with, as packages' names are compared.
pub(super) fn plain_name(requirement: &str) -> String {
    let end = requirement.find(|letter: char| !letter.is_ascii_alphanumeric() && !"-_.".contains(letter));
    requirement[..end.unwrap_or(requirement.len())].to_lowercase().replace(['_', '.'], "-")
}

impl Wheel {
    /// What its metadata says.
    pub(super) fn read(files: &Path) -> Result<Wheel> {
        let names = super::names(files)?;
        let stem =
            names.iter().find_map(|name| name.strip_suffix(".dist-info")).context("the wheel has no metadata")?;
        let metadata = files.join(format!("{stem}.dist-info/METADATA"));
        let text = fs::read_to_string(&metadata).with_context(|| metadata.display().to_string())?;
        let head: Vec<(&str, &str)> =
            text.lines().take_while(|line| !line.is_empty()).filter_map(|line| line.split_once(": ")).collect();
        let all = |key: &'static str| head.iter().filter(move |(name, _)| *name == key).map(|(_, value)| *value);
        let one = |key: &'static str| all(key).next().with_context(|| format!("{} has no {key}", metadata.display()));
        let needs = all("Requires-Dist").filter(|needed| !needed.contains(';')).map(plain_name).collect();
        let name = plain_name(one("Name")?);
        ensure!(!name.is_empty() && !name.starts_with('.'), "{} names no package", metadata.display());
        Ok(Wheel { name, version: one("Version")?.to_owned(), needs, stem: stem.to_owned() })
    }

    /// Its folders of files for Python's path, as the wheel has them.
    fn roots(&self, files: &Path) -> Vec<PathBuf> {
        let data = files.join(format!("{}.data", self.stem));
        let all = [files.to_path_buf(), data.join("purelib"), data.join("platlib")];
        all.into_iter().filter(|folder| folder.is_dir()).collect()
    }

    /// Modules that were compiled, and their objects.
    pub(super) fn take_modules(&self, files: &Path) -> Result<Vec<(Module, PathBuf)>> {
        let mut found = Vec::new();
        for root in self.roots(files).iter().rev() {
            let mut left = vec![root.clone()];
            while let Some(folder) = left.pop() {
                for name in super::names(&folder)? {
                    let path = folder.join(&name);
                    let is_module = [".so", ".pyd"].iter().any(|ending| name.ends_with(ending));
                    match path.is_dir() {
                        true if name.ends_with(".data") => {}
                        true => left.push(path),
                        false if is_module => {
                            let below = folder.strip_prefix(root)?;
                            let first = name.split('.').next().unwrap_or_default();
                            let parts = below.iter().map(|part| part.to_string_lossy().into_owned());
                            let whole: Vec<String> = parts.chain([first.to_owned()]).collect();
                            found.push((module(&whole.join(".")), path));
                        }
                        false => {}
                    }
                }
            }
        }
        found.sort();
        Ok(found)
    }

    /// Copies its files to a folder of Python's path.
    pub(super) fn lay_out(&self, files: &Path, site: &Path) -> Result<()> {
        self.roots(files).iter().try_for_each(|root| copy_tree(root, site))?;
        let data = site.join(format!("{}.data", self.stem));
        if data.exists() {
            fs::remove_dir_all(&data).with_context(|| format!("cannot remove {}", data.display()))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::write;

    #[test]
    fn a_wheel_names_its_package_and_has_its_modules_in_two_places() {
        let work = tempfile::tempdir().unwrap();
        let files = &work.path().join("files");
        let metadata = "Metadata-Version: 2.1\nName: Fast_Maps\nVersion: 1.2\nRequires-Dist: numpy>=2\n\
                        Requires-Dist: pytest; extra == 'test'\n\nName: no\n";
        write(&files.join("fast_maps-1.2.dist-info/METADATA"), metadata).unwrap();
        for name in ["fast/_maps.cpython-311-x.so", "fast/__init__.py", "fast_maps-1.2.data/platlib/top.abi3.so"] {
            write(&files.join(name), "").unwrap();
        }
        let wheel = Wheel::read(files).unwrap();
        assert_eq!((&wheel.name[..], &wheel.version[..], wheel.needs.join(" ")), ("fast-maps", "1.2", "numpy".into()));
        let modules = wheel.take_modules(files).unwrap();
        assert_eq!(modules.iter().map(|(module, _)| &module.name[..]).collect::<Vec<_>>(), ["fast._maps", "top"]);
        let site = work.path().join("site");
        wheel.lay_out(files, &site).unwrap();
        assert!(site.join("top.abi3.so").is_file() && !site.join("fast_maps-1.2.data").exists());
    }

    #[test]
    fn functions_of_modules_differ() {
        assert_ne!(module("a._b").function, module("a.b").function);
        assert_eq!(module("markupsafe._speedups").function, "PyInit_markupsafe__speedups_of_20");
    }
}
