//! How programs begin: with objects that are all right, so that what is wrong about later calls is found in one step.

use anyhow::{Context, Result, bail, ensure};
use arbitrary::Unstructured;
use rankine_gen::functions::Class;

use crate::catalogue::Catalogue;
use crate::draw::{TOOLS, place};
use crate::guest::callback;
use crate::memory::{BUFFERS, COMMANDS, INFORMATIONS, NUMBERS, PROCESSES, strings};
use crate::program::{Argument, Call};

/// Lists of calls, each for what programs do in the same breath. Words are numbers, and
/// - `&win`: the place where the first handle of a class is kept (`&win1`: the second), and `*win`: what lies there;
/// - `&numbers`, `*numbers`, `&buffers`, `&commands`: other places;
/// - `'name`: one of [`TEXTS`]; `fn:MPI_User_function`: a function of this type; `rank`: the rank's own number.
const BEGINNINGS: &[&str] = &[
    // MPI_INT in a vector, MPI_DOUBLE again and again.
    "MPI_Type_vector 2 1 3 521 &datatype; MPI_Type_commit &datatype",
    "MPI_Type_contiguous 3 532 &datatype1; MPI_Type_commit &datatype1",
    "MPI_Op_create fn:MPI_User_function 1 &op",
    "MPI_Comm_dup 257 &comm",
    "MPI_Cart_create 257 1 &numbers1 &numbers1 0 &comm1",
    "MPI_Comm_split 257 rank 0 &comm2",
    "MPI_Comm_group 257 &group",
    "MPI_Info_create &info; MPI_Info_set *info 'name 'true",
    "MPI_Comm_create_errhandler fn:MPI_Comm_errhandler_function &errhandler",
    "MPI_Comm_create_keyval fn:MPI_Comm_copy_attr_function fn:MPI_Comm_delete_attr_function &numbers8 0; MPI_Comm_set_attr 257 *numbers8 4",
    "MPI_Buffer_attach &buffers 1024",
    "MPI_Send_init &buffers 4 521 rank 0 257 &request; MPI_Recv_init &buffers1024 8 521 rank -2 257 &request1",
    "MPI_Psend_init &buffers 2 2 521 rank 0 257 304 &request2; MPI_Precv_init &buffers1024 2 2 521 rank 0 257 304 &request3; MPI_Startall 2 &request2",
    "MPI_Irecv &buffers1024 4 521 -1 -2 257 &request; MPI_Isend &buffers 4 521 rank 0 257 &request1",
    "MPI_Grequest_start fn:MPI_Grequest_query_function fn:MPI_Grequest_free_function fn:MPI_Grequest_cancel_function 0 &request4",
    "MPI_Bcast_init &buffers 4 521 0 257 304 &request",
    "MPI_Win_create &buffers 2048 4 304 257 &win; MPI_Win_set_errhandler *win 323; MPI_Win_lock_all 0 *win",
    "MPI_Win_create_dynamic 304 257 &win1; MPI_Win_set_errhandler *win1 323; MPI_Win_attach *win1 &buffers 1024; MPI_Win_fence 0 *win1",
    "MPI_Win_allocate_shared 4096 1 304 257 &numbers9 &win2; MPI_Win_set_errhandler *win2 323; MPI_Win_fence 0 *win2",
    "MPI_File_open 257 'file 34 304 &file",
    "MPI_File_open 258 'file 34 304 &file; MPI_File_set_view *file 0 521 521 'native 304; MPI_File_write *file &buffers 64 521 0",
    "MPI_Session_init 304 323 &session; MPI_Group_from_session_pset *session 'world &group1",
    "MPI_T_init_thread 0 &numbers10; MPI_T_pvar_session_create &tool; MPI_T_pvar_handle_alloc *tool 0 0 &tool1 &numbers10",
    "MPI_T_init_thread 0 &numbers10; MPI_T_cvar_handle_alloc 0 0 &tool2 &numbers10; MPI_T_event_handle_alloc 0 0 304 &tool3",
    "MPI_T_init_thread 0 &numbers10; MPI_T_event_handle_alloc 0 257 304 &tool3; MPI_T_event_register_callback *tool3 0 304 4 fn:MPI_T_event_cb_function; MPI_T_event_set_dropped_handler *tool3 fn:MPI_T_event_dropped_cb_function",
    "MPI_T_init_thread 0 &numbers10; MPI_T_event_handle_alloc 1 257 304 &tool4; MPI_T_event_register_callback *tool4 3 304 4 fn:MPI_T_event_cb_function; MPI_Isend &buffers 4 521 rank 0 257 &request; MPI_Irecv &buffers1024 4 521 rank 0 257 &request1",
    "Rankine_Type_create 'name 8 4 &tool",
    // Units of displacements that are odd, the largest, and those of each rank its own.
    "MPI_Win_create &buffers 2048 3 304 257 &win3; MPI_Win_set_errhandler *win3 323; MPI_Win_fence 0 *win3",
    "MPI_Win_create &buffers 2048 2147483647 304 257 &win4; MPI_Win_set_errhandler *win4 323; MPI_Win_lock_all 0 *win4",
    "MPI_Win_create_c &buffers 2048 rank1 304 257 &win3; MPI_Win_set_errhandler *win3 323; MPI_Win_lock_all 0 *win3",
    "MPI_Pack_external 'external32 &buffers 4 521 &buffers1024 64 &numbers5; MPI_Unpack_external 'external32 &buffers1024 64 &numbers5 &buffers 4 521",
    "MPI_File_open 258 'file 34 304 &file1; MPI_File_set_view *file1 0 521 521 'external32 304; MPI_File_write *file1 &buffers 64 521 0; MPI_File_seek *file1 0 403; MPI_File_read *file1 &buffers 64 521 0",
    "MPI_Open_port 304 &buffers",
];

/// What two ranks do, one beside the other.
const PAIRS: &[[&str; 2]] = &[[
    "MPI_Open_port 304 &buffers; MPI_Send &buffers 256 579 1 7 257; MPI_Comm_accept &buffers 304 0 258 &comm5",
    "MPI_Recv &buffers 256 579 0 7 257 0; MPI_Comm_connect &buffers 304 0 258 &comm5",
]];

/// What takes long.
const LONG: &[&str] = &[
    "MPI_Comm_spawn 'child 0 2 304 0 257 &comm3 0",
    "MPI_Comm_spawn 'child 0 1 304 0 258 &comm4 &numbers12; MPI_Recv &buffers 1 521 0 0 *comm4 0",
    "MPI_Comm_spawn_multiple 2 &commands 0 &processes &informations 0 257 &comm3 0",
];

/// Strings of the guest's by name, and their position in [`crate::memory::STRINGS`].
const TEXTS: &[(&str, usize)] =
    &[("name", 1), ("world", 2), ("true", 7), ("native", 9), ("file", 10), ("child", 13), ("external32", 12)];

/// The calls that all ranks of a case begin with.
pub fn draw(u: &mut Unstructured, catalogue: &Catalogue, has: impl Fn(u16) -> bool) -> arbitrary::Result<Vec<Call>> {
    let mut calls = Vec::new();
    let all = BEGINNINGS.iter().map(|beginning| (beginning, 4)).chain(LONG.iter().map(|beginning| (beginning, 24)));
    for (beginning, one_of) in all {
        if u.ratio(1, one_of)? {
            let these = parse(catalogue, beginning).expect("a test parses all of them");
            calls.extend(these.into_iter().filter(|call| has(call.function)));
        }
    }
    Ok(calls)
}

/// Once in a while the first two programs meet before all else.
pub fn draw_pair(
    u: &mut Unstructured,
    catalogue: &Catalogue,
    has: impl Fn(u16) -> bool,
    programs: [&mut Vec<Call>; 2],
) -> arbitrary::Result<()> {
    if !u.ratio(1, 4)? {
        return Ok(());
    }
    for (program, text) in programs.into_iter().zip(u.choose(PAIRS)?) {
        let mut calls = parse(catalogue, text).expect("a test parses all of them");
        calls.retain(|call| has(call.function));
        program.splice(0..0, calls);
    }
    Ok(())
}

pub(crate) fn parse(catalogue: &Catalogue, text: &str) -> Result<Vec<Call>> {
    text.split("; ").map(|call| parse_call(catalogue, call).with_context(|| call.to_owned())).collect()
}

fn parse_call(catalogue: &Catalogue, text: &str) -> Result<Call> {
    let mut words = text.split(' ');
    let function = catalogue.position(words.next().unwrap_or_default()).context("there is no such function")?;
    let arguments: Vec<Argument> = words.map(|word| argument(catalogue, word)).collect::<Result<_>>()?;
    ensure!(arguments.len() == catalogue.functions[function].parameters.len(), "it has other parameters");
    Ok(Call { function: function as u16, arguments })
}

pub(crate) fn argument(catalogue: &Catalogue, word: &str) -> Result<Argument> {
    if let Some(place) = word.strip_prefix('&') {
        return Ok(Argument::Is(place_of(place)?.into()));
    }
    if let Some(place) = word.strip_prefix('*') {
        return Ok(Argument::At(place_of(place)?));
    }
    if let Some(name) = word.strip_prefix('\'') {
        let (_, position) = TEXTS.iter().find(|(known, _)| *known == name).context("there is no such text")?;
        let (place, _) = strings().nth(*position).context("there is no such string")?;
        return Ok(Argument::Is(place.into()));
    }
    if let Some(c_type) = word.strip_prefix("fn:") {
        return Ok(Argument::Is(callback(catalogue, c_type).into()));
    }
    Ok(match word.strip_prefix("rank") {
        Some("") => Argument::FromRank(0),
        Some(more) => Argument::FromRank(more.parse()?),
        None => Argument::Is(word.parse()?),
    })
}

/// The place that a word like `win1` names.
pub(crate) fn place_of(word: &str) -> Result<u32> {
    let name = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = if name == word { 0 } else { word[name.len()..].parse()? };
    Ok(match name {
        "numbers" => NUMBERS + 4 * number,
        "buffers" => BUFFERS + 4 * number,
        "commands" => COMMANDS,
        "processes" => PROCESSES,
        "informations" => INFORMATIONS,
        "tool" => place(TOOLS, number),
        _ => match Class::of(name).and_then(|class| Class::ALL.iter().position(|&other| other == class)) {
            Some(class) => place(class as u32, number),
            None => bail!("no place is called {name}"),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_them_are_calls() {
        let catalogue = Catalogue::new().unwrap();
        for beginning in BEGINNINGS.iter().chain(LONG).chain(PAIRS.iter().flatten()) {
            parse(&catalogue, beginning).unwrap();
        }
        let [call] = &parse(&catalogue, "MPI_Comm_dup *comm1 &comm2").unwrap()[..] else { panic!("it is one call") };
        assert_eq!(call.arguments, [Argument::At(place(0, 1)), Argument::Is(place(0, 2).into())]);
    }
}
