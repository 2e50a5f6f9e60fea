//! Whether a launcher has started this process, and what it says of it.

/// The launchers' variables for the rank of a process that they have started.
const RANKS: [&str; 5] = ["PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "PALS_RANKID", "SLURM_PROCID"];

/// The variable by which a launcher of MPI programs shows that it has started this process.
pub fn launcher() -> Option<&'static str> {
    launcher_among(|name| std::env::var_os(name).is_some())
}

fn launcher_among(is_set: impl Fn(&str) -> bool) -> Option<&'static str> {
    let of_launchers = ["PMI_RANK", "PMI_FD", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "PALS_RANKID"];
    // Slurm sets its own variables for whatever it runs; only with PMI it is a launcher of MPI programs.
    let by_slurm = is_set("SLURM_PROCID") && ["SLURM_PMI_FD", "SLURM_PMIXP_ABORT_AGENT_PORT"].into_iter().any(&is_set);
    of_launchers.into_iter().find(|name| is_set(name)).or(by_slurm.then_some("SLURM_PROCID"))
}

/// How many tasks Slurm has started of this command, where they are more than one and know nothing of each other: each
/// would run a whole job.
pub fn tasks_without_pmi() -> Option<usize> {
    tasks_among(|name| std::env::var(name).ok())
}

fn tasks_among(value: impl Fn(&str) -> Option<String>) -> Option<usize> {
    if launcher_among(|name| value(name).is_some()).is_some() {
        return None;
    }
    // A batch script has the variables of its job; those of a step are srun's.
    value("SLURM_STEP_ID")?;
    value("SLURM_STEP_NUM_TASKS")?.parse().ok().filter(|&tasks| tasks > 1)
}

/// How many ranks the launcher has started.
pub fn launched_ranks() -> Option<usize> {
    size_among(|name| std::env::var(name).ok())
}

fn size_among(value: impl Fn(&str) -> Option<String>) -> Option<usize> {
    let sizes = ["PMI_SIZE", "PMIX_SIZE", "OMPI_COMM_WORLD_SIZE"];
    // In an allocation of Slurm's also what no launcher has started sees how many tasks there could be.
    let of_slurm = launcher_among(|name| value(name).is_some()).map(|_| "SLURM_NTASKS");
    sizes.into_iter().chain(of_slurm).find_map(|name| value(name)?.parse().ok())
}

/// The rank that the launcher has given this process.
pub fn launched_rank() -> Option<usize> {
    rank_among(|name| std::env::var(name).ok())
}

fn rank_among(value: impl Fn(&str) -> Option<String>) -> Option<usize> {
    RANKS.iter().find_map(|name| value(name)?.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is made of an environment: the variable that tells the launcher, and the rank.
    fn seen(environment: &[(&str, &str)]) -> (Option<&'static str>, Option<usize>) {
        let value = |name: &str| environment.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
        (launcher_among(|name| value(name).is_some()), rank_among(|name| value(name).map(String::from)))
    }

    #[test]
    fn tasks_that_know_nothing_of_each_other() {
        let tasks = |variables: &'static [(&str, &str)]| {
            tasks_among(|name| variables.iter().find(|(of, _)| *of == name).map(|(_, value)| value.to_string()))
        };
        assert_eq!(tasks(&[("SLURM_PROCID", "0"), ("SLURM_STEP_ID", "0"), ("SLURM_STEP_NUM_TASKS", "4")]), Some(4));
        assert_eq!(tasks(&[("SLURM_STEP_ID", "0"), ("SLURM_STEP_NUM_TASKS", "1")]), None);
        assert_eq!(tasks(&[("SLURM_STEP_ID", "0"), ("SLURM_STEP_NUM_TASKS", "4"), ("PMI_RANK", "1")]), None);
        // The script of a job.
        assert_eq!(tasks(&[("SLURM_PROCID", "0"), ("SLURM_NTASKS", "4")]), None);
    }

    #[test]
    fn an_allocation_has_started_nothing() {
        let size = |variables: &'static [(&str, &str)]| {
            size_among(|name| variables.iter().find(|(of, _)| *of == name).map(|(_, value)| value.to_string()))
        };
        assert_eq!(size(&[("SLURM_NTASKS", "4"), ("SLURM_PROCID", "0")]), None);
        assert_eq!(size(&[("SLURM_NTASKS", "4"), ("PMIX_RANK", "0")]), Some(4));
        assert_eq!(size(&[("SLURM_NTASKS", "4"), ("PMI_RANK", "0"), ("PMI_SIZE", "2")]), Some(2));
    }

    #[test]
    fn each_launcher_is_known_by_its_variables() {
        // mpiexec of MPICH and of libraries made from it, over PMI-1 and PMI-2.
        assert_eq!(seen(&[("PMI_RANK", "3"), ("PMI_SIZE", "4"), ("PMI_FD", "8")]), (Some("PMI_RANK"), Some(3)));
        assert_eq!(seen(&[("PMI_FD", "8")]), (Some("PMI_FD"), None));
        // PRRTE and Open MPI.
        assert_eq!(seen(&[("PMIX_RANK", "1"), ("PMIX_NAMESPACE", "job")]), (Some("PMIX_RANK"), Some(1)));
        assert_eq!(seen(&[("OMPI_COMM_WORLD_RANK", "2")]), (Some("OMPI_COMM_WORLD_RANK"), Some(2)));
        assert_eq!(seen(&[("OMPI_COMM_WORLD_RANK", "2"), ("PMIX_RANK", "2")]), (Some("PMIX_RANK"), Some(2)));
        // HPE's PALS.
        assert_eq!(seen(&[("PALS_RANKID", "7"), ("PALS_NODEID", "0")]), (Some("PALS_RANKID"), Some(7)));
    }

    #[test]
    fn slurm_launches_mpi_programs_only_with_pmi() {
        assert_eq!(seen(&[("SLURM_PROCID", "5")]).0, None);
        assert_eq!(seen(&[("SLURM_PROCID", "5"), ("SLURM_PMI_FD", "9")]), (Some("SLURM_PROCID"), Some(5)));
        let pmix = [("SLURM_PROCID", "5"), ("SLURM_PMIXP_ABORT_AGENT_PORT", "40123")];
        assert_eq!(seen(&pmix), (Some("SLURM_PROCID"), Some(5)));
        assert_eq!(seen(&[("SLURM_PROCID", "5"), ("PMI_RANK", "5")]), (Some("PMI_RANK"), Some(5)));
    }

    #[test]
    fn without_a_launcher_there_is_none() {
        assert_eq!(seen(&[]), (None, None));
        assert_eq!(seen(&[("SLURM_JOB_ID", "12"), ("HOSTNAME", "login")]), (None, None));
        assert_eq!(seen(&[("PMI_RANK", "not a number")]).1, None);
    }
}
