//! What was made and never freed.

use std::collections::HashMap;

use rankine_abi::{Class, Direction, Length, MPI_ERR_TRUNCATE, Mark, Meaning, Parameter};
use rankine_guest::handle::FIRST_DYNAMIC;

use super::checked_call::{Call, Made};
use super::findings::{self, Findings};

/// The handles of all ranks that were made and not freed yet.
#[derive(Default)]
pub(super) struct Handles(HashMap<(u32, Class, u32), Made>);

impl Handles {
    /// A call has come back, which was passed these handles by their addresses.
    pub(super) fn end(&mut self, call: &Call<'_>, result: i32, before: &[(u8, Vec<u32>)]) {
        let rank = call.made.rank;
        for (word, given) in before {
            let Meaning::Handle(class) = call.words[usize::from(*word)].meaning else { continue };
            let after = call.handles((*word).into()).unwrap_or_default();
            for (given, after) in given.iter().zip(after) {
                // A message that did not fit is received all the same.
                let is_received = class == Class::Message && result == MPI_ERR_TRUNCATE;
                if *given != after || is_received {
                    self.0.remove(&(rank, class, *given));
                }
            }
        }
        if result != 0 || call.function.is(Mark::Shows) {
            return;
        }
        for (at, word) in call.words.iter().enumerate() {
            if let Some(class) = class_of_new(word) {
                for handle in call.handles(at).unwrap_or_default().into_iter().filter(|&it| it >= FIRST_DYNAMIC) {
                    self.0.insert((rank, class, handle), call.made);
                }
            }
        }
    }

    /// What ranks that have ended MPI have left.
    pub(super) fn conclude(&self, has_ended: impl Fn(u32) -> bool, findings: &mut Findings) {
        let mut left: Vec<_> = self.0.iter().filter(|((rank, ..), _)| has_ended(*rank)).collect();
        left.sort_by_key(|((rank, class, handle), made)| (made.program, made.site, *rank, *class, *handle));
        for ((_, class, _), made) in left {
            findings.add(findings::Class::Leak, &[("made by", *made)], in_words(*class).into());
        }
    }
}

/// The class of the handle that a parameter gives, if that has to be freed or completed. Most of those in arrays do
/// not.
fn class_of_new(word: &Parameter) -> Option<Class> {
    match word.meaning {
        Meaning::Handle(class) => {
            let is_one = word.direction == Direction::Out && word.length == Length::One;
            (is_one && class != Class::Errhandler).then_some(class)
        }
        _ => None,
    }
}

/// How it is to be ended.
fn in_words(class: Class) -> &'static str {
    match class {
        Class::Comm => "a communicator, to be freed by MPI_Comm_free",
        Class::Group => "a group, to be freed by MPI_Group_free",
        Class::Datatype => "a datatype, to be freed by MPI_Type_free",
        Class::Op => "an operation, to be freed by MPI_Op_free",
        Class::Request => "a request, to be completed by MPI_Wait or freed by MPI_Request_free",
        Class::Errhandler => "an error handler, to be freed by MPI_Errhandler_free",
        Class::Info => "an info, to be freed by MPI_Info_free",
        Class::Message => "a message, to be received by MPI_Mrecv",
        Class::Win => "a window, to be freed by MPI_Win_free",
        Class::File => "a file, to be closed by MPI_File_close",
        Class::Session => "a session, to be ended by MPI_Session_finalize",
    }
}
