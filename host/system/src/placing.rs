//! Which cores the threads of a rank run on: where a user says how many a rank runs (`--threads-per-rank`) and there are
//! enough cores, each rank of a program with threads has its own, beside those of the rank before it. So its threads share
//! caches with each other and compete with nobody.

use rankine_guest::Who;

/// Cores that this process may use.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The cores that this process may use, dealt out to ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cores {
    all: Vec<usize>,
    /// How many a rank has.
    each: usize,
    /// The first rank of this process among those of the machine.
    first: usize,
}

impl Cores {
    /// So many cores for each rank of a process that has all ranks of its machine; nothing if there are too few.
    pub fn of_all_ranks(each: usize, ranks: usize) -> Option<Cores> {
        Cores::deal(system::allowed()?, each, 0, ranks)
    }

    /// So many cores for the one rank of a process; nothing if there are too few, or if a launcher has placed the process.
    pub fn of_one_rank(each: usize) -> Option<Cores> {
        let all = system::allowed()?;
        if all.len() < system::online()? {
            return None;
        }
        Cores::deal(all, each, rank_of_machine(|name| std::env::var(name).ok())?, 1)
    }

    fn deal(all: Vec<usize>, each: usize, first: usize, ranks: usize) -> Option<Cores> {
        let needed = first.checked_add(ranks)?.checked_mul(each)?;
        (each > 0 && needed <= all.len()).then_some(Cores { all, each, first })
    }

    /// The cores of one of this process's ranks. One that was spawned has those that are left, or may use all.
    fn of(&self, index: usize) -> &[usize] {
        let start = self.first.saturating_add(index).saturating_mul(self.each);
        self.all.get(start..start.saturating_add(self.each)).unwrap_or(&self.all)
    }

    /// Keeps the calling thread, which is to run a rank, and those that it will start to the rank's cores.
    pub fn take(&self, index: usize, who: Who) {
        let cores = self.of(index);
        match system::keep_to(cores) {
            Ok(()) => tracing::info!("{who}: its threads run on cores {}", listed(cores)),
            Err(error) => tracing::info!("{who}: the system places its threads: {error}"),
        }
    }
}

/// The number of this process's rank among those that its launcher has started on this machine.
fn rank_of_machine(value: impl Fn(&str) -> Option<String>) -> Option<usize> {
    let of_launchers = ["MPI_LOCALRANKID", "OMPI_COMM_WORLD_LOCAL_RANK", "PALS_LOCAL_RANKID", "SLURM_LOCALID"];
    of_launchers.iter().find_map(|name| value(name)?.parse().ok())
}

/// Numbers in words: `0-3,8`.
fn listed(numbers: &[usize]) -> String {
    let runs = numbers.chunk_by(|before, after| before + 1 == *after);
    let runs = runs.map(|run| match run {
        [one] => one.to_string(),
        run => format!("{}-{}", run[0], run[run.len() - 1]),
    });
    runs.collect::<Vec<_>>().join(",")
}

#[cfg(target_os = "linux")]
mod system {
    use std::io::{Error, Result};

    /// The cores that the calling thread may use.
    pub(super) fn allowed() -> Option<Vec<usize>> {
        // SAFETY: a set of bits, of which none is set.
        let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
        // SAFETY: there is room for as many bytes as the call is told.
        if unsafe { libc::sched_getaffinity(0, size_of_val(&set), &mut set) } != 0 {
            return None;
        }
        // SAFETY: the numbers are those that a set has bits for.
        Some((0..libc::CPU_SETSIZE as usize).filter(|&core| unsafe { libc::CPU_ISSET(core, &set) }).collect())
    }

    /// How many cores the machine has.
    pub(super) fn online() -> Option<usize> {
        // SAFETY: the call takes a number alone.
        usize::try_from(unsafe { libc::sysconf(libc::_SC_NPROCESSORS_ONLN) }).ok()
    }

    /// Keeps the calling thread to these cores.
    pub(super) fn keep_to(cores: &[usize]) -> Result<()> {
        // SAFETY: a set of bits, of which none is set.
        let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
        for &core in cores {
            // SAFETY: `allowed` has found the number in such a set.
            unsafe { libc::CPU_SET(core, &mut set) };
        }
        // SAFETY: the call reads as many bytes as it is told.
        match unsafe { libc::sched_setaffinity(0, size_of_val(&set), &set) } {
            0 => Ok(()),
            _ => Err(Error::last_os_error()),
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    pub(super) fn allowed() -> Option<Vec<usize>> {
        None
    }

    pub(super) fn online() -> Option<usize> {
        None
    }

    pub(super) fn keep_to(_: &[usize]) -> std::io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rank_has_cores_of_its_own_where_there_are_enough() {
        let cores = Cores::deal(vec![0, 1, 4, 5, 6, 7], 2, 0, 2).unwrap();
        assert_eq!((cores.of(0), cores.of(1)), (&[0, 1][..], &[4, 5][..]));
        // Of ranks that were spawned.
        assert_eq!((cores.of(2), cores.of(3)), (&[6, 7][..], &[0, 1, 4, 5, 6, 7][..]));
        assert_eq!(Cores::deal(vec![0, 1, 2], 2, 0, 2), None);
        assert_eq!(Cores::deal(vec![0, 1], 0, 0, 1), None);
        assert_eq!(Cores::deal(vec![0], usize::MAX, 1, 1), None);
    }

    #[test]
    fn a_process_with_one_rank_knows_its_place_from_the_launcher() {
        let rank = |variables: &'static [(&str, &str)]| {
            rank_of_machine(|name| variables.iter().find(|(of, _)| *of == name).map(|(_, value)| value.to_string()))
        };
        assert_eq!(rank(&[("MPI_LOCALRANKID", "1")]), Some(1));
        assert_eq!(rank(&[("OMPI_COMM_WORLD_LOCAL_RANK", "3"), ("SLURM_LOCALID", "0")]), Some(3));
        assert_eq!(rank(&[("MPI_LOCALRANKID", "?")]), None);
        assert_eq!(Cores::deal(vec![0, 1, 2, 3], 2, 1, 1).unwrap().of(0), [2, 3]);
        assert_eq!(Cores::deal(vec![0, 1, 2, 3], 2, 2, 1), None);
    }

    #[test]
    fn cores_are_listed_as_runs() {
        assert_eq!(listed(&[0, 1, 2, 3, 8, 10, 11]), "0-3,8,10-11");
        assert_eq!(listed(&[5]), "5");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn threads_run_where_the_rank_was_placed() {
        let all = system::allowed().unwrap();
        let last = all[all.len() - 1];
        let inherited = std::thread::spawn(move || {
            system::keep_to(&[last]).unwrap();
            std::thread::spawn(|| system::allowed().unwrap()).join().unwrap()
        });
        assert_eq!(inherited.join().unwrap(), [last]);
        assert_eq!(system::allowed().unwrap(), all);
    }
}
