//! Short lists of ranks for reports, and detecting ranks that wait in different collectives.

use std::collections::BTreeMap;

use rankine_guest::{Together, Who};

/// So many runs of ranks, and so many groups of them, are named.
const NAMED: usize = 4;

/// `rank 3`, `ranks 0, 2 to 5 and 7`; many are cut.
pub(crate) fn ranks(ranks: &[Who]) -> String {
    if let [one] = ranks {
        return one.to_string();
    }
    let mut sorted = ranks.to_vec();
    sorted.sort_unstable();
    let runs = sorted.chunk_by(|one, next| one.world == next.world && one.rank + 1 == next.rank);
    // Two are no run.
    let runs: Vec<&[Who]> = runs.flat_map(|run| run.chunks(if run.len() == 2 { 1 } else { run.len() })).collect();
    let more: usize = runs.iter().skip(NAMED).map(|run| run.len()).sum();
    let mut words: Vec<String> = runs.iter().take(NAMED).map(|run| in_words(run)).collect();
    words.extend((more > 0).then(|| format!("{more} more")));
    match words.split_last() {
        Some((last, before)) if !before.is_empty() => format!("ranks {} and {last}", before.join(", ")),
        _ => format!("ranks {}", words.concat()),
    }
}

/// Ranks that follow one another.
fn in_words(run: &[Who]) -> String {
    match run {
        [one] => one.label(),
        [first, .., last] => format!("{} to {}", first.label(), last.label()),
        [] => String::new(),
    }
}

/// Which ranks of a communicator wait in which collective, where all should be in the same.
pub(crate) fn collectives(waiting: &[(Who, Together)]) -> Option<String> {
    let mut communicators: BTreeMap<_, BTreeMap<_, Vec<Who>>> = BTreeMap::new();
    for (who, together) in waiting {
        let calls = communicators.entry((together.communicator, together.number)).or_default();
        calls.entry((together.call, together.root)).or_default().push(*who);
    }
    let (&communicator, groups) = communicators.iter().find(|(_, groups)| groups.len() > 1)?;
    let name = waiting.iter().find(|(_, of)| (of.communicator, of.number) == communicator).map(|(_, of)| &of.name)?;
    let is_told_by_root = |call| groups.keys().filter(|(other, _)| *other == call).count() > 1;
    let mut parts: Vec<(&Vec<Who>, String)> = Vec::new();
    for (&(call, root), members) in groups {
        let root = root.filter(|_| is_told_by_root(call)).map_or(String::new(), |root| format!(" with root {root}"));
        parts.push((members, format!("{call}{root}")));
    }
    parts.sort_by_key(|(members, _)| members.iter().min().copied());
    let words = parts.iter().take(NAMED).map(|(members, call)| format!("{} in {call}", ranks(members)));
    let more = if parts.len() > NAMED { ", and more" } else { "" };
    let words = words.collect::<Vec<_>>().join(", ");
    Some(format!(
        "ranks of {name} are not in the same collective: {words}{more} (--check tells each call and its place)"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waits(rank: usize, communicator: u32, number: u32, call: &'static str, root: Option<u32>) -> (Who, Together) {
        (rank.into(), Together { communicator, name: format!("comm {communicator}"), number, call, root })
    }

    #[test]
    fn runs_of_ranks_are_joined() {
        let told = |numbers: &[usize]| ranks(&numbers.iter().map(|&rank| rank.into()).collect::<Vec<_>>());
        assert_eq!(told(&[3]), "rank 3");
        assert_eq!(told(&[1, 0]), "ranks 0 and 1");
        assert_eq!(told(&[0, 1, 3]), "ranks 0, 1 and 3");
        assert_eq!(told(&[5, 0, 2, 3, 4, 7]), "ranks 0, 2 to 5 and 7");
        assert_eq!(told(&[0, 2, 4, 6, 8, 9, 11]), "ranks 0, 2, 4, 6 and 3 more");
        let other = |rank| Who { world: 1, rank };
        assert_eq!(ranks(&[other(0), other(1), other(2), 3.into()]), "ranks 3 and 1:0 to 1:2");
    }

    #[test]
    fn who_is_elsewhere_is_told() {
        let barrier = |rank| waits(rank, 1, 4, "MPI_Barrier", None);
        let together = [barrier(0), barrier(1), waits(2, 9, 1, "MPI_Bcast", Some(0))];
        assert_eq!(collectives(&together), None);
        // A rank may have left the collective that another still waits in.
        assert_eq!(collectives(&[barrier(0), waits(1, 1, 5, "MPI_Bcast", Some(0))]), None);
        let told = collectives(&[waits(0, 1, 4, "MPI_Bcast", Some(3)), barrier(1), barrier(2), barrier(3)]).unwrap();
        assert!(
            told.starts_with(
                "ranks of comm 1 are not in the same collective: rank 0 in MPI_Bcast, ranks 1 to 3 in MPI_Barrier ("
            ),
            "{told}"
        );
        let told =
            collectives(&[waits(0, 1, 4, "MPI_Gather", Some(0)), waits(1, 1, 4, "MPI_Gather", Some(1))]).unwrap();
        assert!(told.contains(": rank 0 in MPI_Gather with root 0, rank 1 in MPI_Gather with root 1 ("), "{told}");
    }
}
