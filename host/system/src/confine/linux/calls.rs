//! Which system calls are left: seccomp filters, for every thread that there is or will be.
//!
//! Two lists. What no rank ever needs is refused under both engines, with `EPERM`: a library that asks for it takes
//! that for an answer, and what its drivers ask for beyond is not known here. The embedded engine is all our own, so
//! there only what it needs is let through; the rest is as unknown as on an older kernel (`ENOSYS`), for which C
//! libraries have their second way.
//!
//! Both lists were made with the calls of one version of Linux (`REVIEWED`). What later ones add is unknown under both
//! engines, until somebody has looked at it.
//!
//! A call that is let through whatever its arguments costs nothing: the kernel keeps a bitmap of these. Only those
//! whose arguments are looked at run the filters.

use std::ops::RangeInclusive;

use anyhow::{Context as _, Result};
use libc::c_long;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    apply_filter_all_threads, sock_filter,
};

use super::super::{Needs, Network};
use super::requests;

/// Calls that no rank needs, under any library.
#[rustfmt::skip]
const NEVER: &[c_long] = &[
    // Other programs.
    libc::SYS_execve, libc::SYS_execveat,
    // Other processes.
    libc::SYS_ptrace, libc::SYS_process_vm_readv, libc::SYS_process_vm_writev, libc::SYS_process_madvise,
    libc::SYS_process_mrelease, libc::SYS_pidfd_open, libc::SYS_pidfd_getfd, libc::SYS_pidfd_send_signal,
    libc::SYS_kcmp, libc::SYS_migrate_pages, libc::SYS_tkill, libc::SYS_setpriority, libc::SYS_ioprio_set,
    libc::SYS_msgget, libc::SYS_msgsnd, libc::SYS_msgrcv, libc::SYS_msgctl, libc::SYS_semget, libc::SYS_semop,
    libc::SYS_semtimedop, libc::SYS_semctl,
    // Other views of the system.
    libc::SYS_unshare, libc::SYS_setns, libc::SYS_chroot, libc::SYS_pivot_root, libc::SYS_mount, libc::SYS_umount2,
    libc::SYS_open_tree, libc::SYS_move_mount, libc::SYS_fsopen, libc::SYS_fsconfig, libc::SYS_fsmount,
    libc::SYS_fspick, libc::SYS_mount_setattr, OPEN_TREE_ATTR, libc::SYS_personality,
    // Files by what Landlock doesn't see: handles, devices, owners, rights, attributes.
    libc::SYS_name_to_handle_at, libc::SYS_open_by_handle_at, libc::SYS_mknodat, libc::SYS_fchmodat,
    FCHMODAT2, libc::SYS_fchownat, libc::SYS_fchown, libc::SYS_setxattr, libc::SYS_lsetxattr, libc::SYS_fsetxattr,
    SETXATTRAT, libc::SYS_removexattr, libc::SYS_lremovexattr, libc::SYS_fremovexattr, REMOVEXATTRAT,
    libc::SYS_getxattr, libc::SYS_lgetxattr, GETXATTRAT, libc::SYS_listxattr, libc::SYS_llistxattr, LISTXATTRAT,
    FILE_SETATTR, libc::SYS_fanotify_init, libc::SYS_fanotify_mark, libc::SYS_mq_open, libc::SYS_mq_unlink,
    libc::SYS_quotactl, libc::SYS_quotactl_fd,
    // Parts of the kernel with a history of holes.
    libc::SYS_bpf, libc::SYS_perf_event_open, libc::SYS_userfaultfd, libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter, libc::SYS_io_uring_register, libc::SYS_add_key, libc::SYS_request_key, libc::SYS_keyctl,
    libc::SYS_vmsplice,
    // The administrator's.
    libc::SYS_init_module, libc::SYS_finit_module, libc::SYS_delete_module, libc::SYS_kexec_load,
    KEXEC_FILE_LOAD, libc::SYS_reboot,
    libc::SYS_swapon, libc::SYS_swapoff, libc::SYS_acct, libc::SYS_syslog, libc::SYS_settimeofday,
    libc::SYS_clock_settime, libc::SYS_clock_adjtime, libc::SYS_adjtimex, libc::SYS_sethostname,
    libc::SYS_setdomainname, libc::SYS_vhangup, libc::SYS_setuid, libc::SYS_setgid, libc::SYS_setreuid,
    libc::SYS_setregid, libc::SYS_setresuid, libc::SYS_setresgid, libc::SYS_setfsuid, libc::SYS_setfsgid,
    libc::SYS_setgroups, libc::SYS_capset,
];

/// These have the same number on every machine, and are not in the crate for all of them.
const FCHMODAT2: c_long = 452;
const SETXATTRAT: c_long = 463;
const GETXATTRAT: c_long = 464;
const LISTXATTRAT: c_long = 465;
const REMOVEXATTRAT: c_long = 466;
const OPEN_TREE_ATTR: c_long = 467;
const FILE_SETATTR: c_long = 469;
/// This one has two, and is not in the crate for RISC-V.
const KEXEC_FILE_LOAD: c_long = if cfg!(target_arch = "x86_64") { 320 } else { 294 };

/// The numbers of the calls that the lists were made with: those of Linux 6.18. Machines number what is old each in its
/// own way, and the rest alike; between the two there is nothing yet.
const REVIEWED: [RangeInclusive<u32>; 2] = [0..=LAST_OF_ITS_OWN, 424..=469];
#[cfg(target_arch = "x86_64")]
const LAST_OF_ITS_OWN: u32 = 336;
#[cfg(not(target_arch = "x86_64"))]
const LAST_OF_ITS_OWN: u32 = 294;

/// Those that only older machines have.
#[cfg(target_arch = "x86_64")]
#[rustfmt::skip]
const NEVER_HERE: &[c_long] = &[
    libc::SYS_fork, libc::SYS_vfork, libc::SYS_mknod, libc::SYS_chmod, libc::SYS_chown, libc::SYS_lchown,
    libc::SYS_uselib, libc::SYS_iopl, libc::SYS_ioperm, libc::SYS_modify_ldt,
];
#[cfg(not(target_arch = "x86_64"))]
const NEVER_HERE: &[c_long] = &[];

/// Calls that the embedded engine, Wasmtime and the C library make whatever the job.
#[rustfmt::skip]
const ALWAYS: &[c_long] = &[
    // What is open.
    libc::SYS_read, libc::SYS_write, libc::SYS_readv, libc::SYS_writev, libc::SYS_pread64, libc::SYS_pwrite64,
    libc::SYS_preadv, libc::SYS_pwritev, libc::SYS_preadv2, libc::SYS_pwritev2, libc::SYS_close, libc::SYS_close_range,
    libc::SYS_dup, libc::SYS_dup3, libc::SYS_fcntl, libc::SYS_lseek, libc::SYS_fstat, libc::SYS_newfstatat,
    libc::SYS_statx, libc::SYS_fstatfs, libc::SYS_ftruncate, libc::SYS_fallocate, libc::SYS_fadvise64, libc::SYS_fsync,
    libc::SYS_fdatasync, libc::SYS_ppoll, libc::SYS_pselect6, libc::SYS_epoll_create1, libc::SYS_epoll_ctl,
    libc::SYS_epoll_pwait, libc::SYS_epoll_pwait2, libc::SYS_eventfd2, libc::SYS_pipe2, libc::SYS_memfd_create,
    // Memory.
    libc::SYS_munmap, libc::SYS_mremap, libc::SYS_madvise, libc::SYS_brk, libc::SYS_mincore, libc::SYS_mlock,
    libc::SYS_munlock, libc::SYS_msync, libc::SYS_membarrier,
    // Threads.
    libc::SYS_futex, libc::SYS_futex_waitv, libc::SYS_set_robust_list, libc::SYS_rseq, libc::SYS_set_tid_address,
    libc::SYS_exit, libc::SYS_exit_group, libc::SYS_sched_yield, libc::SYS_sched_getaffinity, libc::SYS_getcpu,
    libc::SYS_rt_sigaction, libc::SYS_rt_sigprocmask, libc::SYS_rt_sigreturn, libc::SYS_rt_sigtimedwait,
    libc::SYS_sigaltstack, libc::SYS_restart_syscall,
    // Time, and who we are.
    libc::SYS_nanosleep, libc::SYS_clock_nanosleep, libc::SYS_clock_gettime, libc::SYS_clock_getres,
    libc::SYS_gettimeofday, libc::SYS_times, libc::SYS_getrusage, libc::SYS_getrandom, libc::SYS_uname,
    libc::SYS_sysinfo, libc::SYS_getpid, libc::SYS_gettid, libc::SYS_getuid, libc::SYS_geteuid, libc::SYS_getgid,
    libc::SYS_getegid,
];
#[cfg(target_arch = "x86_64")]
const ALWAYS_HERE: &[c_long] = &[
    libc::SYS_poll,
    libc::SYS_select,
    libc::SYS_epoll_wait,
    libc::SYS_dup2,
    libc::SYS_pipe,
    libc::SYS_getrlimit,
    libc::SYS_time,
];
/// `riscv_flush_icache`, for code that was compiled by another process.
#[cfg(target_arch = "riscv64")]
const ALWAYS_HERE: &[c_long] = &[259];
#[cfg(not(any(target_arch = "x86_64", target_arch = "riscv64")))]
const ALWAYS_HERE: &[c_long] = &[];

/// Files by name, beneath a folder that was granted.
#[rustfmt::skip]
const FILES: &[c_long] = &[
    libc::SYS_openat, libc::SYS_mkdirat, libc::SYS_unlinkat, libc::SYS_renameat2,
    libc::SYS_linkat, libc::SYS_symlinkat, libc::SYS_readlinkat, libc::SYS_getdents64, libc::SYS_faccessat,
    libc::SYS_faccessat2, libc::SYS_utimensat, libc::SYS_statfs, libc::SYS_getcwd, libc::SYS_umask,
];
#[cfg(target_arch = "x86_64")]
#[rustfmt::skip]
const FILES_HERE: &[c_long] = &[
    libc::SYS_open, libc::SYS_mkdir, libc::SYS_rmdir, libc::SYS_unlink, libc::SYS_rename, libc::SYS_renameat,
    libc::SYS_link, libc::SYS_symlink, libc::SYS_readlink, libc::SYS_access, libc::SYS_stat, libc::SYS_lstat,
];
#[cfg(not(target_arch = "x86_64"))]
const FILES_HERE: &[c_long] = &[];

/// To answer on a socket that listens already.
#[rustfmt::skip]
const ANSWERS: &[c_long] = &[
    libc::SYS_accept, libc::SYS_accept4, libc::SYS_recvfrom, libc::SYS_recvmsg, libc::SYS_sendto, libc::SYS_sendmsg,
    libc::SYS_shutdown, libc::SYS_getsockopt, libc::SYS_setsockopt, libc::SYS_getsockname, libc::SYS_getpeername,
];

/// The kinds of namespaces, as `clone` makes them.
const NAMESPACES: libc::c_int = libc::CLONE_NEWNS
    | libc::CLONE_NEWCGROUP
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUSER
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET;

/// What is asked of a descriptor: whether it is a terminal, and how wide; to close it at an `exec`, and not to block.
pub(super) const ASKS: [u64; 5] = [libc::TCGETS, libc::TIOCGWINSZ, libc::FIONREAD, libc::FIOCLEX, libc::FIONBIO];
/// What has signals sent to others when a descriptor is ready.
const SIGNALS: [libc::c_int; 3] = [libc::F_SETOWN, F_SETOWN_EX, F_SETSIG];
const F_SETSIG: libc::c_int = 10;
const F_SETOWN_EX: libc::c_int = 15;

/// A file with either of them runs with its owner's or group's rights, whoever runs it.
const RIGHTS_OF_OTHERS: [libc::mode_t; 2] = [libc::S_ISUID, libc::S_ISGID];
/// What has `open` make a file, and so look at its mode. The second is `O_TMPFILE` without the flag of folders.
const MAKES: [libc::c_int; 2] = [libc::O_CREAT, libc::O_TMPFILE & !libc::O_DIRECTORY];

/// Calls that concern a process by their first argument: none but this one, and the thread that asks. They take
/// numbers of threads too, which a filter doesn't know: what a library asks for on behalf of its other threads is
/// refused. `sched_setaffinity` is not among them, as UCX starts threads on chosen processors.
const OF_A_PROCESS: [c_long; 5] = [
    libc::SYS_prlimit64,
    libc::SYS_sched_setscheduler,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setattr,
    libc::SYS_move_pages,
];

/// The system calls that a filter names, each with the arguments for which: none, whatever they are.
type Rules = Vec<(c_long, Vec<SeccompRule>)>;

/// Whether this kernel has filters.
pub(super) fn is_available() -> bool {
    const ACTION_IS_AVAILABLE: libc::c_uint = 2;
    let action = libc::SECCOMP_RET_ERRNO;
    // SAFETY: the call reads the one word.
    unsafe { libc::syscall(libc::SYS_seccomp, ACTION_IS_AVAILABLE, 0, &raw const action) == 0 }
}

/// Puts the filters up; says whether this kernel has them.
pub(super) fn filter(needs: &Needs) -> Result<bool> {
    if !is_available() {
        return Ok(false);
    }
    let refuse = |errno: i32| SeccompAction::Errno(errno as u32);
    if needs.library.is_none() {
        apply(&compile(needed(needs)?, refuse(libc::ENOSYS), SeccompAction::Allow)?)?;
    }
    // Their arguments lie in memory, out of a filter's sight; whoever asks falls back to `clone` and `openat`.
    let hidden = [libc::SYS_clone3, libc::SYS_openat2];
    apply(&compile(always(&hidden), SeccompAction::Allow, refuse(libc::ENOSYS))?)?;
    apply(&only_reviewed())?;
    apply(&requests::only_known())?;
    // The last one's answer is the one that counts where several refuse.
    apply(&compile(unneeded(needs)?, SeccompAction::Allow, refuse(libc::EPERM))?)?;
    Ok(true)
}

pub(super) fn step(code: u32, jt: u8, jf: u8, k: u32) -> sock_filter {
    sock_filter { code: code as u16, jt, jf, k }
}

fn apply(program: &BpfProgram) -> Result<()> {
    apply_filter_all_threads(program).context("seccomp")
}

fn compile(rules: Rules, otherwise: SeccompAction, listed: SeccompAction) -> Result<BpfProgram> {
    let here = std::env::consts::ARCH.try_into().context("seccomp")?;
    let filter = SeccompFilter::new(rules.into_iter().collect(), otherwise, listed, here).context("seccomp")?;
    filter.try_into().context("seccomp")
}

/// No call that the lists were not made with, and none by a second number: kernels of x86-64 may have each again, from
/// 2^30 on, for programs with short pointers (x32).
fn only_reviewed() -> BpfProgram {
    const ALLOW: u32 = libc::SECCOMP_RET_ALLOW;
    const REFUSE: u32 = libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32;
    let answer = |answer| step(libc::BPF_RET | libc::BPF_K, 0, 0, answer);
    let is_above = |number, jf| step(libc::BPF_JMP | libc::BPF_JGT | libc::BPF_K, 0, jf, number);
    let [own, common] = REVIEWED;
    vec![
        // The number of the call is the first word.
        step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0),
        is_above(*own.end(), 3),
        is_above(*common.end(), 1),
        answer(REFUSE),
        is_above(common.start() - 1, 1),
        answer(ALLOW),
        answer(REFUSE),
    ]
}

/// What the embedded engine needs, and nothing else.
fn needed(needs: &Needs) -> Result<Rules> {
    let mut rules = [ALWAYS, ALWAYS_HERE].map(always).concat();
    if !needs.grants.is_empty() {
        rules.extend([FILES, FILES_HERE].map(always).concat());
    }
    if needs.network != Network::Closed {
        rules.extend(always(ANSWERS));
    }
    let no_code = |argument| masked(argument, libc::PROT_EXEC, 0);
    let asks = ASKS.map(|request| Ok(vec![equals(1, request)?]));
    let process = [libc::PR_SET_NAME, libc::PR_GET_NAME, libc::PR_SET_VMA, libc::PR_SET_NO_NEW_PRIVS]
        .map(|what| Ok(vec![equals(0, what as u64)?]));
    let mut protections = vec![rule(vec![no_code(2)?])?];
    if needs.code {
        // What becomes code can't be written any more.
        protections.push(rule(vec![masked(2, libc::PROT_EXEC | libc::PROT_WRITE, libc::PROT_EXEC)?])?);
    }
    rules.extend([
        // All code is compiled before, where the job needs no more of it; what is written to memory stays data.
        (libc::SYS_mmap, vec![rule(vec![no_code(2)?])?]),
        (libc::SYS_mprotect, protections),
        (libc::SYS_clone, vec![rule(vec![masked(0, libc::CLONE_THREAD | NAMESPACES, libc::CLONE_THREAD)?])?]),
        (libc::SYS_tgkill, vec![rule(vec![equals(0, me())?])?]),
        // The thread that asks: ranks with threads are placed on cores.
        (libc::SYS_sched_setaffinity, vec![rule(vec![equals(0, 0)?])?]),
        (libc::SYS_ioctl, any(asks)?),
        (libc::SYS_prctl, any(process)?),
        // The filters that follow this one; they can only take away.
        (libc::SYS_seccomp, Vec::new()),
        // To ask about limits of this process.
        (libc::SYS_prlimit64, vec![rule(vec![equals(0, 0)?, null(2)?])?]),
    ]);
    Ok(rules)
}

/// What no rank needs.
fn unneeded(needs: &Needs) -> Result<Rules> {
    let mut rules = [NEVER, NEVER_HERE].map(always).concat();
    if needs.library.is_none() && needs.grants.is_empty() {
        rules.extend([FILES, FILES_HERE].map(always).concat());
    }
    let namespaces = (0..32).map(|bit| 1 << bit).filter(|flag| NAMESPACES & flag != 0);
    let clones = namespaces.map(|flag| Ok(vec![masked(0, flag, flag)?]));
    // A process of its own could outlive the job.
    let clones = clones.chain([Ok(vec![masked(0, libc::CLONE_THREAD, 0)?])]);
    let elsewhere = || Ok::<_, anyhow::Error>(vec![rule(vec![differs(0, me())?])?]);
    rules.extend([
        (libc::SYS_clone, any(clones)?),
        // To ask whether a process is there is no signal.
        (libc::SYS_kill, vec![rule(vec![differs(0, me())?, differs(1, 0)?])?]),
        (libc::SYS_tgkill, elsewhere()?),
        // Whoever waits for a file is told so by the C library.
        (libc::SYS_rt_sigqueueinfo, elsewhere()?),
        (libc::SYS_rt_tgsigqueueinfo, elsewhere()?),
        (libc::SYS_fcntl, signals()?),
        (libc::SYS_socket, sockets(needs)?),
        (libc::SYS_socketpair, vec![rule(vec![differs(0, libc::AF_UNIX as u64)?])?]),
        (libc::SYS_fchmod, any(RIGHTS_OF_OTHERS.map(|right| Ok(vec![has(1, right)?])))?),
    ]);
    for call in OF_A_PROCESS {
        rules.push((call, vec![rule(vec![differs(0, 0)?, differs(0, me())?])?]));
    }
    if needs.library.is_some() || !needs.grants.is_empty() {
        rules.push((libc::SYS_openat, new_files(2)?));
        #[cfg(target_arch = "x86_64")]
        rules.extend([
            (libc::SYS_open, new_files(1)?),
            (libc::SYS_creat, any(RIGHTS_OF_OTHERS.map(|right| Ok(vec![has(1, right)?])))?),
        ]);
    }
    Ok(rules)
}

/// Signals to others when a descriptor is ready. A terminal has them sent to whoever is in front of it.
fn signals() -> Result<Vec<SeccompRule>> {
    let owners = SIGNALS.map(|command| Ok(vec![equals(1, command as u64)?]));
    let begins = vec![equals(1, libc::F_SETFL as u64)?, masked(2, libc::O_ASYNC, libc::O_ASYNC)?];
    any(owners.into_iter().chain([Ok(begins)]))
}

/// Opening that makes a file with rights of others; the mode is the argument after the flags.
fn new_files(flags: u8) -> Result<Vec<SeccompRule>> {
    let pairs = MAKES.into_iter().flat_map(|makes| RIGHTS_OF_OTHERS.map(|right| (makes, right)));
    any(pairs.map(|(makes, right)| Ok(vec![masked(flags, makes, makes)?, has(flags + 1, right)?])))
}

/// What a library asks the kernel by netlink: which interfaces and ways there are, and which devices of InfiniBand and its like.
/// Other protocols list the sockets of all processes, tell of devices that come and go, or set up the system.
const ASKED_BY_NETLINK: [libc::c_int; 2] = [libc::NETLINK_ROUTE, libc::NETLINK_RDMA];

/// Sockets that are refused. A library asks the kernel by netlink, and wakes its like by datagrams; what listens at a file of the
/// system, such as a container's daemon, wants streams.
fn sockets(needs: &Needs) -> Result<Vec<SeccompRule>> {
    let mut known = Vec::new();
    if needs.library.is_some() {
        known.extend([libc::AF_UNIX, libc::AF_NETLINK]);
    }
    if needs.network == Network::Open {
        known.extend([libc::AF_INET, libc::AF_INET6]);
    }
    if known.is_empty() {
        return Ok(Vec::new());
    }
    let others = known.into_iter().map(|family| differs(0, family as u64)).collect();
    let unix = |kind| Ok(vec![equals(0, libc::AF_UNIX as u64)?, masked(1, 0xf, kind)?]);
    let protocols = ASKED_BY_NETLINK.map(|protocol| differs(2, protocol as u64));
    let netlink = [equals(0, libc::AF_NETLINK as u64)].into_iter().chain(protocols).collect();
    any([others, unix(libc::SOCK_STREAM), unix(libc::SOCK_SEQPACKET), netlink])
}

/// These calls, whatever their arguments.
fn always(calls: &[c_long]) -> Rules {
    calls.iter().map(|call| (*call, Vec::new())).collect()
}

/// A call one of whose lists of conditions holds.
fn any(lists: impl IntoIterator<Item = Result<Vec<SeccompCondition>>>) -> Result<Vec<SeccompRule>> {
    lists.into_iter().map(|list| rule(list?)).collect()
}

fn rule(conditions: Vec<SeccompCondition>) -> Result<SeccompRule> {
    SeccompRule::new(conditions).context("seccomp")
}

/// Conditions on the low word of an argument: the kernel takes numbers, flags and requests from there alone.
fn word(argument: u8, operator: SeccompCmpOp, value: u64) -> Result<SeccompCondition> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value).context("seccomp")
}

fn equals(argument: u8, value: u64) -> Result<SeccompCondition> {
    word(argument, SeccompCmpOp::Eq, value)
}

fn differs(argument: u8, value: u64) -> Result<SeccompCondition> {
    word(argument, SeccompCmpOp::Ne, value)
}

/// The bits of a mask have this value.
fn masked(argument: u8, mask: libc::c_int, value: libc::c_int) -> Result<SeccompCondition> {
    word(argument, SeccompCmpOp::MaskedEq(mask as u32 as u64), value as u32 as u64)
}

/// A mode has this right.
fn has(argument: u8, right: libc::mode_t) -> Result<SeccompCondition> {
    word(argument, SeccompCmpOp::MaskedEq(u64::from(right)), u64::from(right))
}

/// A pointer that is null.
fn null(argument: u8) -> Result<SeccompCondition> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Qword, SeccompCmpOp::Eq, 0).context("seccomp")
}

fn me() -> u64 {
    u64::from(std::process::id())
}
