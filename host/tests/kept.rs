//! The built command against others who want it to run their code: what it grants, keeps, loads and starts.

mod command;
#[path = "command/script.rs"]
mod script;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use command::{ended, err, guest, out, rankine};
use script::script;

/// A folder with what Rankine keeps, as the environment names it.
struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Home {
        let home = Home(tempfile::tempdir().unwrap());
        for folder in ["cache", "data/deep", "environment/bin", "environment/lib", "mpi/lib", "programs/deep", "free"] {
            std::fs::create_dir_all(home.at(folder)).unwrap();
        }
        home
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn command(&self) -> Command {
        let mut command = rankine();
        for (name, folder) in [
            ("RANKINE_CACHE_DIR", "cache"),
            ("RANKINE_DATA_DIR", "data"),
            ("RANKINE_STATE_DIR", "state"),
            ("VIRTUAL_ENV", "environment"),
            ("RANKINE_MPI_LIB", "mpi/lib/libmpi_abi.so.1"),
            ("PATH", "programs"),
        ] {
            command.env(name, self.at(folder));
        }
        command.env_remove("LD_LIBRARY_PATH").env_remove("CONDA_PREFIX");
        command
    }

    fn run(&self, option: &str, folder: &str) -> Output {
        self.command().args(["run", option]).arg(self.at(folder)).arg(guest("hello")).output().unwrap()
    }
}

#[test]
fn a_folder_from_which_code_is_taken_is_not_granted() {
    let home = Home::new();
    std::os::unix::fs::symlink(home.at("cache"), home.at("another-name")).unwrap();
    ended(&home.run("--dir", "free"), 0);
    for (folder, place) in [
        ("", "the key of compiled code"),
        ("cache", "the cache of compiled code"),
        ("another-name", "the cache of compiled code"),
        ("free/../cache", "the cache of compiled code"),
        ("state", "the key of compiled code"),
        ("data", "what `rankine sdk` has installed"),
        ("data/deep", "what `rankine sdk` has installed"),
        ("environment", "the active environment"),
        ("environment/lib", "the active environment"),
        ("mpi", "the folder of the MPI library"),
        ("mpi/lib", "the folder of the MPI library"),
        ("programs", "a folder of PATH"),
    ] {
        let output = home.run("--dir", folder);
        ended(&output, 1);
        let text = err(&output);
        assert!(text.contains("--dir ") && text.contains(&format!("({place})")), "{folder}: {text}");
        assert_eq!(out(&output), "");
    }
    ended(&home.run("--dir", "programs/deep"), 0);
    // What the environment names to be run, or PATH leads to, under whatever name.
    std::fs::write(home.at("free/clang"), "").unwrap();
    let named = "what the environment names to be run";
    for (variable, value, place) in [
        ("RANKINE_CLANG", home.at("free/clang"), named),
        ("RANKINE_LAUNCHER", home.at("free/mpiexec"), named),
        ("WASI_SDK_PATH", home.at("free/sdk"), named),
        ("RANKINE_SYSROOT", home.at("free/sysroot"), named),
        ("PATH", home.at("links"), "a program that is started from PATH"),
    ] {
        std::fs::create_dir_all(home.at("links")).unwrap();
        let _ = std::os::unix::fs::symlink(home.at("free/clang"), home.at("links/clang-22"));
        let output = home
            .command()
            .env(variable, value)
            .args(["run", "--dir"])
            .arg(home.at("free"))
            .arg(guest("hello"))
            .output();
        let output = output.unwrap();
        ended(&output, 1);
        assert!(err(&output).contains(&format!("({place})")), "{variable}: {}", err(&output));
    }
    for variable in ["RANKINE_CLANG", "WASI_SDK_PATH"] {
        let output = home.command().env(variable, "free/clang").arg("doctor").output().unwrap();
        let text = out(&output) + &err(&output);
        assert!(text.contains(&format!("{variable} is free/clang, which is a relative path")), "{text}");
    }
    // Reading does no harm, but for the key.
    for folder in ["cache", "data", "environment", "mpi/lib", "programs"] {
        ended(&home.run("--dir-ro", folder), 0);
    }
    for folder in ["", "state"] {
        let output = home.run("--dir-ro", folder);
        ended(&output, 1);
        assert!(err(&output).contains("which no program may read"), "{}", err(&output));
    }
    let program = Path::new(env!("CARGO_BIN_EXE_rankine")).parent().unwrap();
    let output = home.command().args(["run", "--dir"]).arg(program).arg(guest("hello")).output().unwrap();
    ended(&output, 1);
    assert!(err(&output).contains("(this program)"), "{}", err(&output));
    // An empty entry means the working folder, wherever that is.
    let mut command = home.command();
    command.env("LD_LIBRARY_PATH", "/usr/lib:").current_dir(home.at("free"));
    let output = command.args(["run", "--dir", "."]).arg(guest("hello")).output().unwrap();
    ended(&output, 1);
    assert!(err(&output).contains("LD_LIBRARY_PATH"), "{}", err(&output));
}

#[test]
fn compiled_code_needs_the_users_seal() {
    let home = Home::new();
    let runs = || {
        let output = home.command().arg("run").arg(guest("hello")).output().unwrap();
        ended(&output, 0);
        assert_eq!(out(&output), "hello\n");
        err(&output)
    };
    assert_eq!((runs(), runs()), (String::new(), String::new()));
    let entries: Vec<_> = std::fs::read_dir(home.at("cache")).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(entries.len(), 1);
    let whole = std::fs::read(&entries[0]).unwrap();
    // As a guest would that has come by the folder: the entry looks right, and has no seal or another user's.
    for range in [16..48, whole.len() - 8..whole.len()] {
        let mut entry = whole.clone();
        entry[range].iter_mut().for_each(|byte| *byte ^= 1);
        std::fs::write(&entries[0], entry).unwrap();
        assert!(runs().contains("compiling again"));
        assert_eq!(runs(), "");
    }
    std::fs::remove_file(home.at("state/key")).unwrap();
    assert!(runs().contains("compiling again"));
    assert_eq!(runs(), "");
    // Without a folder that is this user's alone nothing is kept.
    std::fs::set_permissions(home.at("cache"), std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
    assert!(runs().contains("not cached") && runs().contains("everybody"));
}

/// A library that says when it is loaded.
fn planted(folder: &Path, name: &str) {
    std::fs::create_dir_all(folder).unwrap();
    let source = folder.join("planted.c");
    std::fs::write(&source, "#include <stdio.h>\n__attribute__((constructor)) static void loaded(void) { puts(\"PLANTED\"); fflush(stdout); }\n")
        .unwrap();
    let compiled = Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(folder.join(name)).arg(&source).status();
    assert!(compiled.unwrap().success());
}

#[test]
fn nothing_is_loaded_or_run_because_it_lies_in_the_working_folder() {
    let top = tempfile::tempdir().unwrap();
    let work = top.path().join("above/here");
    std::fs::create_dir_all(&work).unwrap();
    let library = "libmpi_abi.so.1";
    for folder in [work.join(".venv/lib"), work.parent().unwrap().join(".venv/lib"), work.clone(), work.join("lib")] {
        planted(&folder, library);
    }
    for program in ["mpiexec", "mpirun", "srun", "rustc"] {
        for folder in [work.join(".venv/bin"), work.join("bin"), work.clone()] {
            std::fs::create_dir_all(&folder).unwrap();
            script(&folder.join(program), "echo PLANTED; echo HYDRA");
        }
    }
    let hello = guest("hello");
    let hello = hello.to_str().unwrap();
    let commands: [&[&str]; 3] =
        [&["doctor"], &["run", "--engine", "mpi", hello], &["run", "--hosts", "localhost", hello]];
    // With relative folders, an empty one, and what an environment names that is no absolute path.
    let environments: [&[(&str, &str)]; 6] = [
        &[("PATH", "/nowhere")],
        &[("PATH", "bin:.venv/bin:.")],
        &[("PATH", ":/nowhere"), ("LD_LIBRARY_PATH", ":")],
        &[("PATH", "/nowhere"), ("LD_LIBRARY_PATH", "lib")],
        &[("PATH", "/nowhere"), ("LD_LIBRARY_PATH", "/nowhere:"), ("VIRTUAL_ENV", ".venv")],
        &[("PATH", "/nowhere"), ("LD_LIBRARY_PATH", "."), ("CONDA_PREFIX", ".venv")],
    ];
    for arguments in commands {
        for environment in environments {
            let mut command = rankine();
            for name in ["VIRTUAL_ENV", "CONDA_PREFIX", "LD_LIBRARY_PATH", "RANKINE_MPI_LIB", "RANKINE_LAUNCHER"] {
                command.env_remove(name);
            }
            let output = command.args(arguments).envs(environment.iter().copied()).current_dir(&work).output().unwrap();
            let text = out(&output) + &err(&output);
            assert!(!text.contains("PLANTED"), "{arguments:?} {environment:?}: {text}");
            // Unless the system itself has a library.
            if arguments.contains(&"mpi") && !output.status.success() {
                assert!(
                    text.contains("skipped: ") && text.contains("near the working folder"),
                    "{environment:?}: {text}"
                );
            }
        }
    }
    // Where somebody else can write, an absolute path is no better.
    let shared = top.path().join("shared");
    planted(&shared.join("lib"), library);
    std::fs::set_permissions(&shared, std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
    for name in ["VIRTUAL_ENV", "CONDA_PREFIX"] {
        let mut command = rankine();
        command
            .env_remove("RANKINE_MPI_LIB")
            .env("PATH", "/nowhere")
            .env_remove("VIRTUAL_ENV")
            .env_remove("CONDA_PREFIX");
        let output = command.env(name, &shared).args(["run", "--engine", "mpi", hello]).output().unwrap();
        let text = out(&output) + &err(&output);
        assert!(!text.contains("PLANTED") && text.contains("can be written by everybody"), "{text}");
    }
}

#[test]
fn a_module_that_was_exchanged_is_not_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("module.wat");
    std::fs::copy(guest("hello"), &path).unwrap();
    let known = rankine::module::digest(std::fs::File::open(&path).unwrap()).unwrap();
    let run = || rankine().args(["run", "--module-digest", &known]).arg(&path).output().unwrap();
    ended(&run(), 0);
    std::fs::write(&path, std::fs::read_to_string(guest("hello")).unwrap() + " ").unwrap();
    let output = run();
    ended(&output, 1);
    assert!(err(&output).contains("replaced by another module"), "{}", err(&output));
    assert_eq!(out(&output), "");
}

#[test]
fn programs_are_compiled_ahead() {
    let home = Home::new();
    let output = home.command().arg("compile").arg(guest("hello")).output().unwrap();
    ended(&output, 0);
    assert_eq!(std::fs::read_dir(home.at("cache")).unwrap().count(), 1);
    ended(&home.command().arg("run").arg(guest("hello")).output().unwrap(), 0);
    assert_eq!(std::fs::read_dir(home.at("cache")).unwrap().count(), 1);
    let output = home.command().arg("compile").arg(home.at("none.wasm")).output().unwrap();
    ended(&output, 1);
    assert!(err(&output).contains("none.wasm"), "{}", err(&output));
}

/// What is taken is nobody else's: a folder, or a link, on the way to it that others could have changed is enough.
#[test]
fn nothing_is_loaded_from_where_others_may_write() {
    use std::os::unix::fs::{PermissionsExt, chown, symlink};
    let mode = |path: &Path, mode| std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    // Only root can give a folder away, or to a group of which it is no member.
    let is_root = rankine_system::trust::effective_user() == 0;
    type Change<'c> = &'c dyn Fn(&Path);
    let everybody = "can be written by everybody";
    let changes: [(&str, Change<'_>, &str); 12] = [
        ("the library", &|top| mode(&top.join("env/lib/libmpi_abi.so.1"), 0o666), everybody),
        ("the library, by others only", &|top| mode(&top.join("env/lib/libmpi_abi.so.1"), 0o646), everybody),
        ("its folder", &|top| mode(&top.join("env/lib"), 0o777), everybody),
        ("the environment", &|top| mode(&top.join("env"), 0o757), everybody),
        ("what lies above", &|top| mode(top, 0o777), everybody),
        (
            "a folder by a link",
            &|top| {
                std::fs::rename(top.join("env"), top.join("real")).unwrap();
                mode(&top.join("real/lib"), 0o777);
                symlink("real", top.join("env")).unwrap();
            },
            everybody,
        ),
        (
            "a link's folder",
            &|top| {
                std::fs::rename(top.join("env"), top.join("real")).unwrap();
                std::fs::create_dir(top.join("open")).unwrap();
                symlink("../real", top.join("open/link")).unwrap();
                mode(&top.join("open"), 0o777);
                symlink("open/link", top.join("env")).unwrap();
            },
            everybody,
        ),
        (
            "the library by a link",
            &|top| {
                std::fs::create_dir(top.join("open")).unwrap();
                mode(&top.join("open"), 0o777);
                std::fs::rename(top.join("env/lib/libmpi_abi.so.1"), top.join("open/library")).unwrap();
                symlink("../../open/library", top.join("env/lib/libmpi_abi.so.1")).unwrap();
            },
            everybody,
        ),
        (
            "a group's folder",
            &|top| {
                chown(top.join("env/lib"), None, Some(31337)).unwrap();
                mode(&top.join("env/lib"), 0o775);
            },
            "can be written by group 31337",
        ),
        (
            "a group's library",
            &|top| {
                chown(top.join("env/lib/libmpi_abi.so.1"), None, Some(31337)).unwrap();
                mode(&top.join("env/lib/libmpi_abi.so.1"), 0o664);
            },
            "can be written by group 31337",
        ),
        (
            "another user's library",
            &|top| {
                chown(top.join("env/lib/libmpi_abi.so.1"), Some(31337), None).unwrap();
            },
            "belongs to user 31337",
        ),
        (
            "another user's, in a folder like /tmp",
            &|top| {
                mode(top, 0o1777);
                chown(top.join("env"), Some(31337), None).unwrap();
            },
            "belongs to user 31337",
        ),
    ];
    for (what, change, reason) in changes {
        if reason.contains("31337") && !is_root {
            continue;
        }
        let top = tempfile::tempdir().unwrap();
        planted(&top.path().join("env/lib"), "libmpi_abi.so.1");
        let run = || {
            let mut command = rankine();
            for name in ["RANKINE_MPI_LIB", "LD_LIBRARY_PATH", "CONDA_PREFIX"] {
                command.env_remove(name);
            }
            command.env("PATH", "/nowhere").env("VIRTUAL_ENV", top.path().join("env"));
            let output = command.args(["run", "--engine", "mpi"]).arg(guest("hello")).output().unwrap();
            out(&output) + &err(&output)
        };
        // What is this user's alone would be loaded.
        assert!(run().contains("PLANTED"), "{what}: {}", run());
        change(top.path());
        let text = run();
        assert!(!text.contains("PLANTED") && text.contains(reason), "{what}: {text}");
    }
}

/// Programs that start ranks, and reach other hosts, are looked at too.
#[test]
fn no_program_is_run_from_where_others_may_write() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new();
    let mode = |path: PathBuf, mode| std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    let (mark, source, library) = (home.at("started"), home.at("mpi/small.c"), home.at("mpi/lib/libmpi_abi.so.1"));
    let text = "int MPI_Abi_get_version(int *major, int *minor) { *major = 1; *minor = 0; return 0; }\n\
         int MPI_Get_library_version(char *text, int *length) { text[0] = 'S'; text[1] = 0; *length = 1; return 0; }\n";
    std::fs::write(&source, text).unwrap();
    assert!(Command::new("cc").args(["-shared", "-fPIC", "-o"]).args([&library, &source]).status().unwrap().success());
    for name in ["mpiexec", "ssh"] {
        script(&home.at("programs").join(name), &format!("echo HYDRA; : > {}", mark.display()));
    }
    script(&home.at("free/launcher"), "echo HYDRA");
    let run = |options: &[&str]| {
        let mut command = home.command();
        command.env_remove("RANKINE_LAUNCHER").env_remove("VIRTUAL_ENV");
        command.args(["run", "--hosts", "elsewhere"]).args(options).arg(guest("hello"));
        let text = err(&command.output().unwrap());
        let started = mark.exists();
        let _ = std::fs::remove_file(&mark);
        (started, text)
    };
    let launcher = home.at("free/launcher");
    for (name, options) in [("mpiexec", &[][..]), ("ssh", &["--stage", "--launcher", launcher.to_str().unwrap()])] {
        assert!(run(options).0, "{name}: {}", run(options).1);
        for (place, bits) in [(name, 0o757), (name, 0o777), ("", 0o757), ("", 0o777)] {
            let path = home.at("programs").join(place);
            mode(path.clone(), bits);
            let (started, text) = run(options);
            mode(path, 0o755);
            assert!(!started && text.contains("can be written by everybody"), "{name} {place}: {text}");
        }
    }
}
