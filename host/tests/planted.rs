//! A guest leaves files in the folder that it was granted, for the commands that its user types next: none decides what these run,
//! whom they trust, or what they write over.

mod command;
#[path = "command/script.rs"]
mod script;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use command::{ended, err, guest, out};
use script::script;

/// A user's folders: `work` is granted, `own` is not.
struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Home {
        let home = Home(tempfile::tempdir().unwrap());
        for folder in ["work/env/lib", "own", "mpi/lib"] {
            fs::create_dir_all(home.at(folder)).unwrap();
        }
        fs::copy(guest("hello"), home.at("work/hello.wat")).unwrap();
        fs::copy(guest("hello"), home.at("own/hello.wat")).unwrap();
        home
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The command, started in the granted folder.
    fn rankine(&self, words: &[&str]) -> Command {
        let mut command = command::rankine();
        for name in
            ["VIRTUAL_ENV", "CONDA_PREFIX", "LD_LIBRARY_PATH", "RANKINE_LAUNCHER", "RANKINE_SSH", "RANKINE_GRID"]
        {
            command.env_remove(name);
        }
        command.env("RANKINE_STATE_DIR", self.at("state")).env("RANKINE_MPI_LIB", self.at("mpi/lib/libmpi_abi.so.1"));
        command.args(words).current_dir(self.at("work"));
        command
    }

    fn output(&self, words: &[&str]) -> Output {
        self.rankine(words).output().unwrap()
    }

    /// A guest that may write to `work` leaves a file there, or with a third word a link.
    fn plant(&self, words: &[&str]) {
        let plant = guest("plant");
        let run = ["run", "--dir", ".", plant.to_str().unwrap()];
        ended(&self.output(&[&run, words].concat()), 0);
    }

    /// What says that a planted program has run. Whether it has.
    fn has_run(&self) -> bool {
        fs::remove_file(self.at("own/mark")).is_ok()
    }

    fn touches(&self) -> String {
        format!(": > {}", self.at("own/mark").display())
    }

    /// A grid whose only node is reached by a shell.
    fn grid(&self) -> String {
        format!("[defaults]\nssh = [\"/bin/sh\", \"-c\", \"{}\"]\n[nodes]\nn1 = {{ slots = 2 }}\n", self.touches())
    }

    /// An MPI library that is enough to be found, and may say when it is loaded.
    fn library(&self, path: &Path, says: bool) {
        let source = self.at("own/library.c");
        let text = format!(
            "#include <fcntl.h>\n\
             int MPI_Abi_get_version(int *major, int *minor) {{ *major = 1; *minor = 0; return 0; }}\n\
             int MPI_Get_library_version(char *text, int *length) {{ text[0] = 'S'; text[1] = 0; *length = 1; return 0; }}\n\
             __attribute__((constructor)) static void says(void) {{ {} open(\"{}\", O_CREAT, 0600); }}\n",
            if says { "" } else { "if (0)" },
            self.at("own/mark").display()
        );
        fs::write(&source, text).unwrap();
        assert!(Command::new("cc").args(["-shared", "-fPIC", "-o"]).args([path, &source]).status().unwrap().success());
    }
}

#[track_caller]
fn refused(home: &Home, mut command: Command, why: &str) {
    let output = command.output().unwrap();
    let text = err(&output) + &out(&output);
    assert!(!home.has_run() && !output.status.success() && text.contains(why), "{command:?}: {text}");
}

#[test]
fn a_grid_that_a_guest_has_left_is_not_read() {
    let home = Home::new();
    home.library(&home.at("mpi/lib/libmpi_abi.so.1"), false);
    home.plant(&["grid.toml", &home.grid()]);
    let planted = home.at("work/grid.toml");
    symlink(&planted, home.at("own/link.toml")).unwrap();
    symlink(home.at("work"), home.at("own/folder")).unwrap();
    let (link, folder) = (home.at("own/link.toml"), home.at("own/folder/grid.toml"));
    let [planted_word, link, folder] = [&planted, &link, &folder].map(|path| path.to_str().unwrap());
    // By its place.
    let commands: [&[&str]; 7] = [
        &["grid", "check"],
        &["grid", "list", "--ask"],
        &["grid", "ssh", "n1", "true"],
        &["grid", "install", "n1"],
        &["grid", "clean"],
        &["run", "--group", "n1", "hello.wat"],
        &["run", "--group", "n1", "--dry-run", "hello.wat"],
    ];
    for words in commands {
        refused(&home, home.rankine(words), "nobody has named it");
        let mut relative = home.rankine(words);
        relative.env("RANKINE_GRID", "./grid.toml");
        refused(&home, relative, "nobody has named it");
        let mut whole = home.rankine(words);
        whole.env("RANKINE_GRID", &planted);
        refused(&home, whole, "a program was allowed to write to");
    }
    // By its name, or another.
    for grid in ["grid.toml", planted_word, link, folder] {
        refused(&home, home.rankine(&["grid", "check", "--grid", grid]), "a program was allowed to write to");
        refused(&home, home.rankine(&["grid", "check", grid]), "a program was allowed to write to");
        refused(&home, home.rankine(&["run", "--grid", grid, "hello.wat"]), "a program was allowed to write to");
    }
    // Confirmed, it would have run, and shows that these tests see it. The guest changes it again.
    ended(&home.output(&["trust", "grid.toml"]), 0);
    home.output(&["grid", "check"]);
    assert!(home.has_run());
    let listed = out(&home.output(&["trust", "--list"]));
    assert!(
        listed.starts_with("trusted  /") && listed.contains("\ngranted  /") && listed.contains("/work\n"),
        "{listed}"
    );
    home.plant(&["grid.toml", &(home.grid() + "\n")]);
    refused(&home, home.rankine(&["grid", "check"]), "it has changed since you trusted it");
    refused(&home, home.rankine(&["grid", "check", "--grid", "grid.toml"]), "a program was allowed to write to");
    assert!(out(&home.output(&["trust", "--list"])).starts_with("changed  /"));
    ended(&home.output(&["trust", "--forget", "grid.toml"]), 0);
    ended(&home.output(&["trust", "--forget", "grid.toml"]), 1);
    ended(&home.output(&["trust", "none"]), 1);
    // One that the user has elsewhere, and names.
    fs::write(home.at("own/grid.toml"), home.grid()).unwrap();
    home.output(&["grid", "check", "--grid", home.at("own/grid.toml").to_str().unwrap()]);
    assert!(home.has_run());
    home.output(&["grid", "check", home.at("own/grid.toml").to_str().unwrap()]);
    assert!(home.has_run());
    // A folder that the same command grants.
    let own = home.at("own");
    let words = ["run", "--grid", "../own/grid.toml", "--dir", own.to_str().unwrap(), "hello.wat"];
    refused(&home, home.rankine(&words), "a program was allowed to write to");
}

#[test]
fn programs_and_libraries_that_a_guest_could_have_changed_are_not_used() {
    let home = Home::new();
    home.library(&home.at("mpi/lib/libmpi_abi.so.1"), false);
    home.library(&home.at("work/env/lib/libmpi_abi.so.1"), true);
    // It is a program already; the guest writes what it does.
    script(&home.at("work/tool"), "true");
    home.plant(&["tool", &format!("#!/bin/sh\necho HYDRA\n{}\n", home.touches())]);
    assert!(Command::new(home.at("work/tool")).status().unwrap().success() && home.has_run());
    let tool = home.at("work/tool");
    let tool = tool.to_str().unwrap();
    let why = "a program was allowed to write to";
    let grid = home.at("own/grid.toml");
    fs::write(&grid, format!("[nodes.n1]\nssh = \"{tool}\"\n")).unwrap();
    let hello = home.at("own/hello.wat");
    let [grid, hello] = [&grid, &hello].map(|path| path.to_str().unwrap());
    refused(&home, home.rankine(&["run", "--hosts", "n1", "--launcher", tool, hello]), why);
    refused(&home, home.rankine(&["run", "--hosts", "n1", "--launcher", "./tool", hello]), why);
    let launcher = |mut command: Command| {
        script(&home.at("own/launcher"), "echo HYDRA");
        command.env("RANKINE_LAUNCHER", home.at("own/launcher"));
        command
    };
    refused(&home, launcher(home.rankine(&["run", "--hosts", "n1", "--stage", "--ssh", tool, hello])), why);
    // Where nothing is brought to the nodes, the launcher runs it.
    refused(&home, launcher(home.rankine(&["run", "--hosts", "n1", "--ssh", tool, hello])), why);
    refused(&home, launcher(home.rankine(&["run", "--hosts", "n1", "--ssh", "./tool", hello])), why);
    let mut by_variable = launcher(home.rankine(&["run", "--hosts", "n1", hello]));
    by_variable.env("RANKINE_SSH", tool);
    refused(&home, by_variable, why);
    let says_so = |command: &mut Command| {
        let output = command.output().unwrap();
        let text = out(&output) + &err(&output);
        assert!(!home.has_run() && text.contains(why), "{command:?}: {text}");
    };
    says_so(&mut home.rankine(&["grid", "check", "--grid", grid]));
    says_so(home.rankine(&["grid", "check", "--grid", grid]).env("RANKINE_SSH", tool));
    says_so(home.rankine(&["run", "--hosts", "n1", hello]).env("RANKINE_LAUNCHER", tool));
    let library = home.at("work/env/lib/libmpi_abi.so.1");
    let library = library.to_str().unwrap();
    says_so(&mut home.rankine(&["run", "--engine", "mpi", "--mpi-lib", library, hello]));
    says_so(home.rankine(&["run", "--engine", "mpi", hello]).env("RANKINE_MPI_LIB", library));
    let mut environment = home.rankine(&["run", "--engine", "mpi", hello]);
    says_so(environment.env_remove("RANKINE_MPI_LIB").env("VIRTUAL_ENV", home.at("work/env")).env("PATH", "/nowhere"));
    says_so(&mut home.rankine(&["run", "--blas", library, hello]));
    // One that its user has looked at.
    ended(&home.output(&["trust", library]), 0);
    home.output(&["run", "--engine", "mpi", "--mpi-lib", library, hello]);
    assert!(home.has_run());
}

#[test]
fn whom_a_user_trusts_is_not_for_guests_to_say() {
    let home = Home::new();
    let module = wat::parse_file(guest("hello")).unwrap();
    for folder in ["work", "own"] {
        fs::write(home.at(folder).join("hello.wasm"), &module).unwrap();
    }
    // Both have keys in folders that are nobody else's yet.
    for key in ["own/ada", "work/eve"] {
        ended(&home.output(&["sign", "--new", home.at(key).to_str().unwrap()]), 0);
    }
    ended(&home.output(&["sign", "../own/ada", "../own/hello.wasm"]), 0);
    ended(&home.output(&["sign", "eve", "hello.wasm"]), 0);
    fs::copy(home.at("own/ada.pub"), home.at("work/keys")).unwrap();
    let run = |keys: &str, options: &[&str]| {
        home.rankine(&[&["run", "--require-signature", keys], options, &["hello.wasm"]].concat())
    };
    refused(&home, run("keys", &[]), "requires the signature");
    // In the same run, and in those that come next.
    refused(&home, run("keys", &["--dir", "."]), "says whose signatures count");
    home.plant(&["keys", &fs::read_to_string(home.at("work/eve.pub")).unwrap()]);
    symlink(home.at("work/keys"), home.at("own/link")).unwrap();
    for keys in ["keys", "./keys", "../own/link"] {
        refused(&home, run(keys, &[]), "a program was allowed to write to");
    }
    refused(&home, home.rankine(&["sign", "eve", "hello.wasm"]), "a program was allowed to write to");
    refused(&home, home.rankine(&["sign", "--new", "bob"]), "may read your key");
    refused(&home, home.rankine(&["sign", "--new", "env/lib/bob"]), "may read your key");
    assert!(!home.at("work/bob").exists());
    ended(&run("../own/ada.pub", &[]).current_dir(home.at("own")).output().unwrap(), 0);
    ended(&home.output(&["trust", "keys"]), 0);
    ended(&run("keys", &[]).output().unwrap(), 0);
}

#[test]
fn nothing_is_written_through_a_link_that_a_guest_has_made() {
    let home = Home::new();
    fs::write(home.at("own/precious"), "precious").unwrap();
    for name in ["out", "mpijob.yaml", "Containerfile"] {
        home.plant(&[name, "../own/precious", "link"]);
    }
    home.plant(&["deep", "../own", "link"]);
    for option in ["--profile=", "--check="] {
        refused(
            &home,
            home.rankine(&["run", &format!("{option}out"), "hello.wat"]),
            "is a link that a program could have made",
        );
        refused(
            &home,
            home.rankine(&["run", &format!("{option}deep/precious"), "hello.wat"]),
            "a program could have made",
        );
    }
    for option in ["--record", "--coredump"] {
        refused(&home, home.rankine(&["run", option, "out", "hello.wat"]), "is a link that a program could have made");
    }
    let manifest = ["grid", "manifest", "-n", "2", "--image", "a/b", "--name", "job", "hello.wat"];
    refused(&home, home.rankine(&manifest), "is a link that a program could have made");
    assert_eq!(fs::read_to_string(home.at("own/precious")).unwrap(), "precious");
    // A new file, or a link of the user's own, are what they were; what the program may write to as well is said.
    ended(&home.output(&["run", "--profile=new.json", "hello.wat"]), 0);
    symlink("target.json", home.at("own/way.json")).unwrap();
    ended(&home.output(&["run", "--profile=../own/way.json", "hello.wat"]), 0);
    assert!(home.at("own/target.json").exists());
    let warned = home.output(&["run", "--dir", ".", "--record", "a.rkv", "hello.wat"]);
    ended(&warned, 0);
    assert!(err(&warned).contains("warning: --record a.rkv: it lies in"), "{}", err(&warned));
    let silent = home.output(&["run", "--dir-ro", ".", "--record", "b.rkv", "hello.wat"]);
    assert!(!err(&silent).contains("warning"), "{}", err(&silent));
}

/// A `rust-toolchain.toml` names the compiler that rustup runs for who asks beneath it.
#[test]
fn a_compiler_is_not_asked_where_a_guest_could_have_named_it() {
    let home = Home::new();
    fs::create_dir(home.at("programs")).unwrap();
    script(&home.at("programs/rustc"), &format!("pwd > {}", home.at("own/asked").display()));
    home.rankine(&["doctor"]).env("PATH", format!("{}:/usr/bin:/bin", home.at("programs").display())).output().unwrap();
    assert_eq!(fs::read_to_string(home.at("own/asked")).unwrap(), "/\n");
}

#[test]
fn what_is_read_only_stays_the_users() {
    let home = Home::new();
    fs::write(home.at("work/grid.toml"), home.grid()).unwrap();
    ended(&home.output(&["run", "--dir-ro", ".", "hello.wat"]), 0);
    assert_eq!(out(&home.output(&["trust", "--list"])), "");
    home.output(&["grid", "check", "--grid", "grid.toml"]);
    assert!(home.has_run());
}
