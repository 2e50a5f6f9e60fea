//! `rankine run --blas`: a library does what the host would do, and one that must not be loaded is not.

mod command;

use std::fs::{self, Permissions};
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use command::{ended, err, guest, rankine};

/// A folder with libraries that are compiled when they are wanted.
struct Libraries(tempfile::TempDir);

impl Libraries {
    fn new() -> Libraries {
        Libraries(tempfile::tempdir().unwrap())
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Compiles the library with these options.
    fn make(&self, name: &str, options: &[&str]) -> PathBuf {
        let (source, library) = (Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/guests/blas.c"), self.at(name));
        let mut command = Command::new("cc");
        command.args(["-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-o"]).arg(&library).args(options).arg(source);
        let compiled = command.output().unwrap();
        assert!(compiled.status.success(), "{}", err(&compiled));
        library
    }
}

fn run(library: &Path, options: &[&str]) -> Output {
    rankine().args(["run", "--blas"]).arg(library).args(options).arg(guest("blas")).output().unwrap()
}

/// How often the library said this.
fn said(output: &Output, what: &str) -> usize {
    err(output).lines().filter(|line| *line == what).count()
}

const MULTIPLIES: &str = "the library multiplies";
const FACTORS: &str = "the library factors";

#[test]
fn a_library_does_what_it_has_and_the_host_does_the_rest() {
    let libraries = Libraries::new();
    let library = libraries.make("libproduct.so", &[]);
    for options in [&["-n", "3", "--threads"][..], &["-n", "3", "--fibers"], &["-n", "3", "--no-confine"]] {
        let output = run(&library, options);
        ended(&output, 0);
        assert_eq!((said(&output, MULTIPLIES), said(&output, FACTORS)), (3, 0));
    }
    let output = run(&library, &["--verbose"]);
    let text = err(&output);
    let line = text.lines().find(|line| line.contains("BLAS: ")).expect(&text);
    assert!(line.contains("libproduct.so; Rankine itself does what it lacks: sgemm cgemm zgemm ssymm"), "{line}");
    assert!(line.ends_with("cpotrf zpotrf") && !line.contains("dgemm"), "{line}");
    // Without it the host does all, by itself.
    let output = rankine().arg("run").arg(guest("blas")).output().unwrap();
    ended(&output, 0);
    assert_eq!(err(&output), "");
}

#[test]
fn integers_of_either_length_and_names_of_all_kinds() {
    let libraries = Libraries::new();
    for (name, options, integers) in [
        ("libshort.so", &["-DWITH_FACTORS"][..], "32-bit integers"),
        ("liblong.so", &["-DWITH_FACTORS", "-DINTEGER=long long"], "64-bit integers"),
        ("liblong_64.so", &["-DWITH_FACTORS", "-DINTEGER=long long", "-DNAME(n)=n##_64_"], "64-bit integers"),
        ("libwheel.so", &["-DWITH_FACTORS", "-DNAME(n)=scipy_##n##_"], "32-bit integers"),
        ("libplain.so", &["-DWITH_FACTORS", "-DNAME(n)=n"], "32-bit integers"),
    ] {
        let output = run(&libraries.make(name, options), &["--verbose"]);
        ended(&output, 0);
        assert!(err(&output).contains(&format!("{name}, {integers}")), "{}", err(&output));
        // It is tried out once, and called once.
        assert_eq!((said(&output, MULTIPLIES), said(&output, FACTORS)), (1, 2), "{}", err(&output));
    }
}

#[test]
fn the_variable_names_a_library_too_and_not_for_what_is_reproducible() {
    let libraries = Libraries::new();
    let library = libraries.make("libproduct.so", &[]);
    let with_variable = |value: &Path, options: &[&str]| {
        rankine().env("RANKINE_BLAS", value).arg("run").args(options).arg(guest("blas")).output().unwrap()
    };
    let output = with_variable(&library, &[]);
    ended(&output, 0);
    assert_eq!(said(&output, MULTIPLIES), 1);
    // The host does nothing.
    ended(&with_variable(&library, &["--reproducible"]), 5);
    ended(&with_variable(Path::new(""), &[]), 0);
    let output = with_variable(Path::new("libproduct.so"), &[]);
    ended(&output, 1);
    assert!(err(&output).contains("RANKINE_BLAS is libproduct.so, which is a relative path"), "{}", err(&output));
    let output = run(&library, &["--reproducible"]);
    ended(&output, 2);
    assert!(err(&output).contains("--blas") && err(&output).contains("--reproducible"), "{}", err(&output));
}

#[test]
fn what_is_no_such_library_is_refused_by_name() {
    let libraries = Libraries::new();
    let library = libraries.make("libproduct.so", &[]);
    let mut foreign = fs::read(&library).unwrap();
    foreign[18..20].copy_from_slice(&8u16.to_le_bytes());
    fs::write(libraries.at("libforeign.so"), foreign).unwrap();
    fs::write(libraries.at("libtext.so"), "INPUT(libproduct.so)").unwrap();
    fs::write(libraries.at("libscript.so"), "/* GNU ld script */").unwrap();
    fs::write(libraries.at("libproduct.a"), "!<arch>\n").unwrap();
    fs::write(libraries.at("libcut.so"), &fs::read(&library).unwrap()[..200]).unwrap();
    libraries.make("libother.so", &["-DWITHOUT_PRODUCT", "-DWITH_FACTORS"]);
    libraries.make("libwrong.so", &["-DWRONG"]);
    for (name, words) in [
        ("libnone.so", "there is no such file; a library is named by its path"),
        ("", "is not a file; name the library in it"),
        ("libtext.so", "is not a shared library"),
        ("libcut.so", "cannot be opened"),
        ("libother.so", "it lacks dgemm_; name a library such as libopenblas.so.0"),
        ("libwrong.so", "computes wrong products"),
        #[cfg(target_os = "linux")]
        ("libscript.so", "is a script for linkers"),
        #[cfg(target_os = "linux")]
        ("libproduct.a", "is an archive for linkers"),
        #[cfg(target_os = "linux")]
        ("libforeign.so", "another architecture (number 8), and this machine is"),
    ] {
        let output = run(&libraries.at(name), &[]);
        ended(&output, 1);
        let text = err(&output);
        assert!(text.contains(words) && text.contains("(--blas)") && text.contains(name), "{name}: {text}");
    }
}

#[test]
fn a_library_that_others_or_the_guest_may_write_is_not_opened() {
    let libraries = Libraries::new();
    fs::create_dir_all(libraries.at("open")).unwrap();
    fs::create_dir_all(libraries.at("links")).unwrap();
    fs::create_dir_all(libraries.at("data")).unwrap();
    let library = libraries.make("open/libproduct.so", &[]);
    symlink(&library, libraries.at("links/libproduct.so")).unwrap();
    let linked = libraries.at("links/libproduct.so");
    for (path, folder) in [(&library, "open"), (&linked, "open"), (&linked, "links"), (&linked, "")] {
        let grant = format!("{}::/data", libraries.at(folder).display());
        let output = run(path, &["--dir", &grant]);
        ended(&output, 1);
        assert!(err(&output).contains("(the BLAS library)") && said(&output, MULTIPLIES) == 0, "{}", err(&output));
        ended(&run(path, &["--dir-ro", &grant]), 0);
    }
    ended(&run(&linked, &["--dir", &format!("{}::/data", libraries.at("data").display())]), 0);
    for place in ["open", "open/libproduct.so"] {
        let before = fs::metadata(libraries.at(place)).unwrap().permissions();
        fs::set_permissions(libraries.at(place), Permissions::from_mode(0o777)).unwrap();
        let output = run(&linked, &[]);
        ended(&output, 1);
        let text = err(&output);
        assert!(text.contains("is not opened, since") && text.contains("can be written by everybody"), "{text}");
        fs::set_permissions(libraries.at(place), before).unwrap();
    }
    ended(&run(&linked, &[]), 0);
}

#[test]
fn a_library_that_has_another_name_in_a_guests_folder_is_not_opened() {
    let libraries = Libraries::new();
    fs::create_dir_all(libraries.at("data/deep")).unwrap();
    fs::create_dir_all(libraries.at("other")).unwrap();
    fs::create_dir_all(libraries.at("lib")).unwrap();
    let library = libraries.make("lib/libproduct.so", &[]);
    fs::hard_link(&library, libraries.at("data/deep/numbers")).unwrap();
    let grant = |folder: &str| format!("{}::/data", libraries.at(folder).display());
    let output = run(&library, &["--dir", &grant("data")]);
    ended(&output, 1);
    let text = err(&output);
    assert!(text.contains("deep/numbers there is another name of") && text.contains("(the BLAS library)"), "{text}");
    assert_eq!(said(&output, MULTIPLIES), 0);
    ended(&run(&library, &["--dir", &grant("other"), "--dir-ro", &grant("data").replace("::/data", "::/read")]), 0);
}

/// Numbers that are none can have a library answer so.
#[test]
fn a_factorisation_with_rows_that_are_none_is_done_by_the_host() {
    let libraries = Libraries::new();
    for integers in ["int", "long long"] {
        let library = libraries.make("libstray.so", &["-DWITH_FACTORS", "-DSTRAY", &format!("-DINTEGER={integers}")]);
        let output = run(&library, &[]);
        // The guest knows what comes of it.
        ended(&output, 0);
        assert_eq!(said(&output, FACTORS), 2, "{}", err(&output));
    }
}

#[test]
fn a_second_signal_does_not_trip_over_the_library_either() {
    let libraries = Libraries::new();
    let library = libraries.make("libendless.so", &["-DENDLESS"]);
    let mut command = rankine();
    command.args(["run", "-n", "2", "--threads", "--blas"]).arg(&library).arg(guest("blas"));
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut errors = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while line.trim_end() != MULTIPLIES {
        line.clear();
        assert_ne!(errors.read_line(&mut line).unwrap(), 0, "it never came so far");
    }
    for signal in [libc::SIGINT, libc::SIGTERM] {
        // SAFETY: a signal to a child that has not been waited for.
        unsafe { libc::kill(child.id() as i32, signal) };
    }
    let status = child.wait().unwrap().code();
    assert!([Some(130), Some(143)].contains(&status), "{status:?}");
}

#[test]
fn a_job_that_ends_does_not_wait_for_the_library_nor_trip_over_it() {
    let libraries = Libraries::new();
    let library = libraries.make("libendless.so", &["-DENDLESS"]);
    for placement in ["--threads", "--fibers"] {
        // A busy machine may need long to come so far.
        let came_so_far = ["0.5", "2.5", "20", "300"].into_iter().any(|seconds| {
            let output = run(&library, &["-n", "2", placement, "--timeout", seconds]);
            ended(&output, 124);
            said(&output, MULTIPLIES) > 0
        });
        assert!(came_so_far);
    }
}
