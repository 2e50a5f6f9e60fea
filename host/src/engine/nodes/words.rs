//! What a node tells node 0 at the end of a job, as JSON: where its ranks waited in a deadlock, what they never received, what a
//! check has found of them.
//!
//! It is read as what it is, words of another process: what can't be read is left out, and only functions that MPI has are named.

use rankine_abi::Function;
use rankine_guest::{Together, Who};
use rankine_nodes::library::LONGEST_REPORT;
use rankine_system::shown;
use serde_json::{Value, json};

use crate::report::mistakes::Report;
use crate::run::ending::Deadlock;

/// As many ranks of a node are told of.
const MOST: usize = 1024;

/// What is sent.
pub(super) fn written(deadlock: &Deadlock) -> Vec<u8> {
    let ranks = |ranks: &[Who]| ranks.iter().copied().map(named).collect::<Vec<_>>();
    let together = deadlock.together.iter().take(MOST).map(|(who, together)| {
        let Together { communicator, name, number, call, root } = together;
        json!([named(*who), communicator, name, number, call, root])
    });
    let words = json!({
        "ranks": deadlock.ranks.iter().take(MOST).map(|(who, line)| json!([named(*who), line])).collect::<Vec<_>>(),
        "finalized": ranks(&deadlock.finalized),
        "unfinalized": ranks(&deadlock.unfinalized),
        "uninitialized": ranks(&deadlock.uninitialized),
        "together": together.collect::<Vec<_>>(),
    });
    words.to_string().into_bytes()
}

/// What was received.
pub(super) fn read(words: &[u8]) -> Deadlock {
    let words: Value = serde_json::from_slice(words).unwrap_or_default();
    let list = |key: &str| words.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let ranks = |key: &str| list(key).iter().filter_map(rank).collect();
    Deadlock {
        apart: None,
        ranks: list("ranks").iter().filter_map(line).collect(),
        finalized: ranks("finalized"),
        unfinalized: ranks("unfinalized"),
        uninitialized: ranks("uninitialized"),
        together: list("together").iter().filter_map(together).collect(),
    }
}

/// What is sent of messages that ranks never received; that there is nothing to say of them where it is nothing.
pub(super) fn written_left(left: Option<&[(Who, String)]>) -> Vec<u8> {
    let of_ranks = |left: &[(Who, String)]| {
        left.iter().take(MOST).map(|(who, what)| json!([named(*who), shown::line(what)])).collect::<Vec<_>>()
    };
    json!(left.map(of_ranks)).to_string().into_bytes()
}

/// What was received of them.
pub(super) fn read_left(words: &[u8]) -> Option<Vec<(Who, String)>> {
    match serde_json::from_slice(words) {
        Ok(Value::Null) => None,
        Ok(Value::Array(left)) => {
            let lines = left.iter().take(MOST).filter_map(line);
            Some(lines.map(|(who, what)| (who, shown::line(&what))).collect())
        }
        _ => Some(Vec::new()),
    }
}

/// What is sent of what a check has found: as much as fits.
pub(super) fn written_found(mut found: Report) -> Vec<u8> {
    loop {
        let words = serde_json::to_vec(&found).unwrap_or_default();
        let listed = found.findings.len() + found.notes.len();
        if words.len() <= LONGEST_REPORT || listed == 0 {
            return words;
        }
        tracing::warn!("{listed} findings of this node are too long to be told to node 0: half of them are left out");
        found.findings.truncate(found.findings.len() / 2);
        found.notes.truncate(found.notes.len() / 2);
    }
}

/// What was received of it.
pub(super) fn read_found(words: &[u8]) -> Report {
    serde_json::from_slice(words).unwrap_or_default()
}

/// A rank's number, behind that of its world if a program has started it.
fn named(who: Who) -> Value {
    if who.world == 0 { json!(who.rank) } else { json!([who.world, who.rank]) }
}

fn rank(value: &Value) -> Option<Who> {
    let number = |value: &Value| usize::try_from(value.as_u64()?).ok();
    match value.as_array().map(Vec::as_slice) {
        None => number(value).map(Who::from),
        Some([world, rank]) => Some(Who { world: u32::try_from(number(world)?).ok()?, rank: number(rank)? }),
        Some(_) => None,
    }
}

fn line(value: &Value) -> Option<(Who, String)> {
    let [who, line] = value.as_array()?.as_slice() else { return None };
    Some((rank(who)?, line.as_str()?.into()))
}

fn together(value: &Value) -> Option<(Who, Together)> {
    let [who, communicator, name, number, call, root] = value.as_array()?.as_slice() else { return None };
    let number_of = |value: &Value| u32::try_from(value.as_u64()?).ok();
    let together = Together {
        communicator: number_of(communicator)?,
        name: name.as_str()?.into(),
        number: number_of(number)?,
        call: Function::named(call.as_str()?)?.name,
        root: number_of(root),
    };
    Some((rank(who)?, together))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_is_what_was_written() {
        let together = |call, root| Together { communicator: 7, name: "MPI_COMM_WORLD".into(), number: 3, call, root };
        let deadlock = Deadlock {
            apart: None,
            ranks: vec![(2.into(), "rank 2 waits in MPI_Recv for a message".into())],
            finalized: vec![3.into()],
            unfinalized: vec![4.into(), Who { world: 3, rank: 1 }],
            uninitialized: vec![5.into()],
            together: vec![(2.into(), together("MPI_Bcast", Some(1))), (6.into(), together("MPI_Barrier", None))],
        };
        assert_eq!(read(&written(&deadlock)), deadlock);
    }

    #[test]
    fn what_was_never_received_is_read() {
        let left = vec![(3.into(), "1 message".into()), (Who { world: 2, rank: 0 }, "2 messages".into())];
        assert_eq!(read_left(&written_left(Some(&left))), Some(left));
        assert_eq!(read_left(&written_left(None)), None);
        assert_eq!(read_left(b"[[1, 2], \"a\"]"), Some(vec![]));
        assert_eq!(read_left(b"{"), Some(vec![]));
    }

    #[test]
    fn what_makes_no_sense_is_left_out() {
        assert_eq!(read(b"[]"), Deadlock::default());
        assert_eq!(read(b"{\"ranks\": [1, \"a\", null, [3, \"b\"], [4, 4], [5]], \"finalized\": [-1, 2, \"b\"], \"together\": [[], [0, 0, \"c\", 0, \"MPI_No\", 0]]}"), Deadlock {
            ranks: vec![(3.into(), "b".into())],
            finalized: vec![2.into()],
            ..Deadlock::default()
        });
    }
}
