//! A call of MPI in words: its arguments with their names, and constants by theirs.

use std::fmt::Write as _;

use rankine_abi::{
    Addr, Class, Comm, Datatype, Direction, Errhandler, File, Function, Group, Info, Length, MPI_ANY_SOURCE,
    MPI_ANY_TAG, MPI_IN_PLACE, MPI_PROC_NULL, MPI_ROOT, Meaning, Message, Op, Parameter, Request, Session, Win,
};

/// A call in words: `MPI_Send(buf=0x4010, count=4, datatype=MPI_INT, dest=1, tag=0, comm=MPI_COMM_WORLD)`.
pub(crate) fn in_words(name: &str, function: Option<&Function>, words: &[i64]) -> String {
    let mut text = format!("{name}(");
    let described = function.map_or(&[][..], Function::described);
    for (at, (parameter, &word)) in described.iter().zip(words).enumerate() {
        let comma = if at == 0 { "" } else { ", " };
        // Writing to a string can't fail.
        let _ = write!(text, "{comma}{}={}", parameter.name, word_in_words(parameter, word));
    }
    text.push(')');
    text
}

fn word_in_words(parameter: &Parameter, word: i64) -> String {
    let by_pointer = parameter.length != Length::One || parameter.direction != Direction::In;
    let name = match parameter.meaning {
        Meaning::Buffer(_) if Addr(word as u64) == MPI_IN_PLACE => Some("MPI_IN_PLACE"),
        Meaning::Status if word == 0 && parameter.length != Length::One => Some("MPI_STATUSES_IGNORE"),
        Meaning::Status if word == 0 => Some("MPI_STATUS_IGNORE"),
        Meaning::Buffer(_) | Meaning::Status | Meaning::Text | Meaning::Address | Meaning::Kept | Meaning::Other => {
            None
        }
        _ if by_pointer => None,
        Meaning::Source | Meaning::Dest | Meaning::Root => match word as i32 {
            MPI_ANY_SOURCE => Some("MPI_ANY_SOURCE"),
            MPI_PROC_NULL => Some("MPI_PROC_NULL"),
            MPI_ROOT => Some("MPI_ROOT"),
            _ => None,
        },
        Meaning::AnyTag if word as i32 == MPI_ANY_TAG => Some("MPI_ANY_TAG"),
        Meaning::Handle(class) => Some(handle_in_words(class, word as u32)),
        _ => None,
    };
    let is_address = by_pointer
        || matches!(
            parameter.meaning,
            Meaning::Buffer(_)
                | Meaning::Status
                | Meaning::Text
                | Meaning::Address
                | Meaning::Kept
                | Meaning::Function
                | Meaning::Other
        );
    match name {
        Some(name) => name.into(),
        None if parameter.is_address() => format!("{word:#x}"),
        None if is_address => format!("{:#x}", unsigned(word)),
        None => word.to_string(),
    }
}

/// A word that has no sign: of 32 bits, unless it needs more.
fn unsigned(word: i64) -> u64 {
    i32::try_from(word).map_or(word as u64, |word| (word as u32).into())
}

/// A handle in words: that of a constant, or of something that the program made.
fn handle_in_words(class: Class, handle: u32) -> &'static str {
    let (name, own) = match class {
        Class::Comm => (Comm(handle).name(), "a communicator"),
        Class::Group => (Group(handle).name(), "a group"),
        Class::Datatype => (Datatype(handle).name(), "a derived datatype"),
        Class::Op => (Op(handle).name(), "its own operation"),
        Class::Request => (Request(handle).name(), "a request"),
        Class::Errhandler => (Errhandler(handle).name(), "an error handler"),
        Class::Info => (Info(handle).name(), "an info"),
        Class::Message => (Message(handle).name(), "a message"),
        Class::Win => (Win(handle).name(), "a window"),
        Class::File => (File(handle).name(), "a file"),
        Class::Session => (Session(handle).name(), "a session"),
    };
    name.unwrap_or(own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_as_wide_as_they_are() {
        let shown = |name, words: &[i64]| in_words(name, Function::named(name), words);
        let narrow = shown("MPI_Comm_set_attr", &[0x101, 2, -16]);
        assert_eq!(narrow, "MPI_Comm_set_attr(comm=MPI_COMM_WORLD, comm_keyval=2, attribute_val=0xfffffff0)");
        let wide = shown("MPI_Comm_set_attr", &[0x101, 2, 0x1_0000_0010]);
        assert!(wide.ends_with("attribute_val=0x100000010)"), "{wide}");
        let sent = shown("MPI_Send", &[0x1_0000_0400, 1, 0x209, 1, 0, 0x101]);
        assert!(sent.starts_with("MPI_Send(buf=0x100000400, count=1, datatype=MPI_INT,"), "{sent}");
    }
}
