//! Words for the linker (`-Wl,…`, `-Xlinker …`), without those that only an ELF linker takes.

use std::ffi::OsString;

use anyhow::Result;

use super::flags::{ELF_LINKER, Verdict, judge};

/// Writes a run of `-Xlinker WORD` as one `-Wl,WORD,…`, so that one rule serves both.
pub(super) fn join(arguments: &[OsString]) -> Vec<OsString> {
    let mut joined: Vec<OsString> = Vec::new();
    let mut rest = arguments.iter();
    let mut open = false;
    while let Some(argument) = rest.next() {
        let word = (argument == "-Xlinker").then(|| rest.next()).flatten();
        match (word, joined.last_mut()) {
            (Some(word), Some(list)) if open => {
                list.push(",");
                list.push(word);
            }
            (Some(word), _) => {
                let mut list = OsString::from("-Wl,");
                list.push(word);
                joined.push(list);
            }
            (None, _) => joined.push(argument.clone()),
        }
        open = word.is_some();
    }
    joined
}

/// The flags inside one `-Wl,…`, without those that only an ELF linker takes.
pub(super) fn judge_list(flag: &str, list: &str) -> Result<Verdict> {
    let words: Vec<&str> = list.split(',').collect();
    let mut kept = Vec::new();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let bare = word.trim_start_matches('-');
        if bare == "shared" {
            return judge("-shared");
        }
        let (name, glued) = bare.split_once('=').map_or((bare, false), |(name, _)| (name, true));
        match () {
            _ if !word.starts_with('-') => kept.push(*word),
            _ if ELF_ONLY.contains(&name) => {}
            _ if ELF_ONLY_WITH_VALUE.contains(&name) => at += usize::from(!glued),
            _ if name == "z"
                && !words.get(at + 1).is_some_and(|value| OURS.iter().any(|our| value.starts_with(our))) =>
            {
                at += 1;
            }
            _ => kept.push(*word),
        }
        at += 1;
    }
    Ok(match kept.len() {
        0 => Verdict::Drop(ELF_LINKER),
        n if n == words.len() => Verdict::Pass,
        _ => Verdict::Replace(format!("{}{}", &flag[..4], kept.join(","))),
    })
}

/// What of `-z` means something here.
const OURS: [&str; 2] = ["stack-size=", "call-stack="];

/// Linker flags without a value that only make sense for ELF.
const ELF_ONLY: &[&str] = &[
    "start-group",
    "end-group",
    "(",
    ")",
    "as-needed",
    "no-as-needed",
    "enable-new-dtags",
    "disable-new-dtags",
    "warn-common",
    "no-warn-common",
    "sort-common",
    "eh-frame-hdr",
    "no-undefined",
    "copy-dt-needed-entries",
    "no-copy-dt-needed-entries",
    "add-needed",
    "no-add-needed",
    "no-keep-memory",
    "Bsymbolic",
    "Bsymbolic-functions",
    "relax",
    "no-relax",
    "E",
    "export-dynamic",
    "pie",
    "no-pie",
    "X",
    "x",
    "discard-all",
    "discard-locals",
    "no-warn-mismatch",
    "allow-shlib-undefined",
    "no-allow-shlib-undefined",
    "warn-once",
    "cref",
    "build-id",
    "no-dynamic-linker",
];

/// Linker flags with a value, after `=` or `,`, that only make sense for ELF.
const ELF_ONLY_WITH_VALUE: &[&str] = &[
    "rpath",
    "rpath-link",
    "R",
    "soname",
    "h",
    "hash-style",
    "dynamic-linker",
    "I",
    "version-script",
    "dynamic-list",
    "icf",
    "plugin",
    "plugin-opt",
    "defsym",
    "undefined-version",
    "section-start",
    "compress-debug-sections",
];
