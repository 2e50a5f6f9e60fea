//! The number that the system knows a thread by.

/// That of the calling thread; also in handlers of signals. By the system call alone: the C library has a function for it since
/// glibc 2.30, and packages are linked for older ones.
#[cfg(target_os = "linux")]
pub fn thread_number() -> i32 {
    // SAFETY: the call takes nothing, changes nothing and can't fail.
    unsafe { libc::syscall(libc::SYS_gettid) as i32 }
}

/// Nobody looks a thread up by a number here.
#[cfg(not(target_os = "linux"))]
pub fn thread_number() -> i32 {
    0
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::thread_number;

    #[test]
    fn a_thread_is_known_by_its_number() {
        let path = std::fs::read_link("/proc/thread-self").unwrap();
        assert!(path.ends_with(format!("{}/task/{}", std::process::id(), thread_number())), "{path:?}");
        assert_ne!(std::thread::spawn(thread_number).join().unwrap(), thread_number());
    }
}
