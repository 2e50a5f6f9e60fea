//! Functions that an embedder gives to guests: the example `host/examples/site.rs`, run as this process itself.

#[path = "../command/mod.rs"]
mod command;
#[path = "../../examples/site.rs"]
mod site;

use std::process::{Command, ExitCode, Output};

use command::{ended, err, guest, out};
use libtest_mimic::{Arguments, Trial};

/// What says that this process is to be the site's command.
const IS_SITE: &str = "TESTS_ARE_SITE";

fn main() -> ExitCode {
    if std::env::var_os(IS_SITE).is_some() {
        return site::main();
    }
    let tests: [(&str, fn()); 3] = [
        ("guests_call_it", guests_call_it),
        ("arrays_are_proved", arrays_are_proved),
        ("without_it_the_program_is_refused", without_it_the_program_is_refused),
    ];
    let trials = tests.into_iter().map(|(name, test)| {
        Trial::test(name, move || {
            test();
            Ok(())
        })
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}

fn site(arguments: &[&str]) -> Output {
    let mut command = Command::new(std::env::current_exe().unwrap());
    let ours = command::rankine();
    command.envs(ours.get_envs().filter_map(|(name, value)| Some((name, value?)))).env(IS_SITE, "yes");
    command.arg("run").args(arguments).arg(guest("axpy")).output().unwrap()
}

fn guests_call_it() {
    for mode in ["--threads", "--fibers"] {
        let output = site(&[mode, "-n", "3"]);
        ended(&output, 0);
        assert_eq!(out(&output), "right\n".repeat(3));
    }
}

fn arrays_are_proved() {
    let output = site(&["-n", "2", "--env", "BEYOND=1"]);
    ended(&output, 134);
    let text = "site.axpy: argument 4: 3 numbers of 8 bytes at address 0xfff0 are not inside the memory of 65536 bytes";
    assert!(err(&output).contains(text), "{}", err(&output));
}

fn without_it_the_program_is_refused() {
    let output = command::rankine().args(["run", "-n", "1"]).arg(guest("axpy")).output().unwrap();
    assert!(!output.status.success(), "{}", out(&output));
    assert!(err(&output).contains("  site.axpy"), "{}", err(&output));
}
