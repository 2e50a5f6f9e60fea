//! Cases whose arguments are so many elements long: what they take has to grow as these do, and not as their square.
//!
//! Some are written down ([`RECIPES`]), others are drawn: a call with long arguments, before it perhaps one that is repeated
//! as often, so that much lies about. What a call takes is judged in `main.rs`, by the time that processors were at it.

use anyhow::{Context, Result, ensure};
use arbitrary::Unstructured;

use crate::beginning::argument as plain;
use crate::catalogue::{Callee, Catalogue, Origin, What};
use crate::draw::{self, Choice};
use crate::memory::area;
use crate::program::{Argument, Call, Case, Mode, Program};

/// Lists of calls as in [`crate::beginning`], with more words:
/// - `n`: how long arguments are; `n*3`: a multiple of it;
/// - `+up`: an area of long arguments (`memory.rs` lists them), `+room*n`: behind as many of its elements;
/// - `turn+names`: that element of an area whose turn it is, `turn`: the number of the turn, `turn-`: counted from the end.
/// - `Repeat n 2`: the next two calls are made `n` times.
pub const RECIPES: &[&str] = &[
    // Attachments, and accesses over them.
    "MPI_Win_create_dynamic 304 257 &win; MPI_Win_lock_all 0 *win; Repeat n 1; MPI_Win_attach *win turn+ones 1; MPI_Put +room n 583 0 +ones n 583 *win",
    "MPI_Win_create_dynamic 304 257 &win; MPI_Win_lock_all 0 *win; Repeat n 1; MPI_Win_attach *win turn+ones 1; MPI_Type_vector n 1 4 583 &datatype; MPI_Type_commit &datatype; Repeat n 1; MPI_Win_attach *win turn+zeros 1; MPI_Put +room n 583 0 +ones 1 *datatype *win; Repeat n 1; MPI_Win_detach *win turn+ones",
    // Lists that a call or two go through for each of their elements.
    "MPI_Info_create &info; Repeat n 1; MPI_Info_set *info turn+names 'true; MPI_Info_dup *info &info1; Repeat n 1; MPI_Info_get_nthkey *info turn +room; Repeat n 1; MPI_Info_delete *info turn+names",
    "MPI_Info_create &info; Repeat n 1; MPI_Info_set *info turn+names 'true; MPI_Comm_dup_with_info 257 *info &comm; MPI_Comm_get_info *comm &info1; MPI_Comm_set_info *comm *info1",
    "MPI_Info_create_env n +named &info",
    "Repeat n 1; MPI_Comm_create_keyval 0 0 turn+made 0; Repeat n 1; MPI_Comm_set_attr 258 turn@made 4; MPI_Comm_dup 258 &comm; Repeat n 1; MPI_Comm_get_attr *comm turn@made +room +more; Repeat n 1; MPI_Comm_delete_attr *comm turn@made",
    "Repeat n 3; MPI_Comm_create_keyval 0 0 turn+made 0; MPI_Comm_set_attr 258 turn@made 4; MPI_Comm_free_keyval turn+made; Repeat n 2; MPI_Comm_create_keyval 0 0 turn+made 0; MPI_Comm_free_keyval turn+made",
    "Repeat n 1; MPI_Type_create_keyval 0 0 turn+made 0; MPI_Type_contiguous 2 521 &datatype; Repeat n 1; MPI_Type_set_attr *datatype turn@made 4; MPI_Type_dup *datatype &datatype1; MPI_Type_free &datatype1",
    "Repeat n 1; MPI_Comm_create_errhandler fn:MPI_Comm_errhandler_function turn+made; Repeat n 1; MPI_Errhandler_free turn+made",
    "Repeat n 1; MPI_Op_create fn:MPI_User_function 1 turn+made; Repeat n 1; MPI_Op_free turn+made",
    "Repeat n 2; MPI_Add_error_class turn+made; MPI_Add_error_string turn@made turn+names; Repeat n 1; MPI_Error_string turn@made +room +more",
    "Repeat n 1; MPI_Add_error_code 4 turn+made; Repeat n 1; MPI_Remove_error_code turn@made",
    "Repeat n 1; MPI_Comm_group 257 turn+made; Repeat n 1; MPI_Group_free turn+made",
    "Repeat n 1; MPI_Session_init 304 323 turn+made; Repeat n 1; MPI_Session_finalize turn+made",
    "Repeat n 1; MPI_Comm_dup 258 turn+made; Repeat n 1; MPI_Comm_free turn+made",
    "Repeat n 1; MPI_Win_create +room 8 1 304 258 turn+made; Repeat n 1; MPI_Win_free turn+made",
    "Repeat n 1; MPI_Open_port 304 +room; Repeat n 1; MPI_Close_port +room",
    // Datatypes: wide ones, and deep ones.
    "MPI_Type_indexed n +ones +down 521 &datatype; MPI_Type_commit &datatype; MPI_Pack +room 1 *datatype +more 4194304 &numbers5 257; MPI_Type_get_contents *datatype n*2 0 1 +made +zeros +types",
    "MPI_Type_create_struct n +ones +zeros +types &datatype; MPI_Type_commit &datatype; MPI_Send +room 4 *datatype -3 0 257; MPI_Type_dup *datatype &datatype1",
    "MPI_Type_create_hindexed_block n 1 +up 583 &datatype; MPI_Type_commit &datatype; MPI_Reduce_local +room +more 1 583 33; MPI_Sendrecv +room 1 *datatype 0 0 +more n 583 0 0 258 0",
    "MPI_Type_vector n 1 2 521 &datatype; MPI_Type_commit &datatype; MPI_Sendrecv +room 1 *datatype 0 0 +more 1 *datatype 0 0 258 +made; MPI_Get_elements +made *datatype &numbers",
    "MPI_Type_contiguous 1 521 &datatype; Repeat n 1; MPI_Type_contiguous 1 *datatype &datatype; MPI_Type_commit &datatype; MPI_Pack +room 1 *datatype +more 4096 &numbers5 257; MPI_Type_free &datatype",
    "MPI_Type_vector 2 1 2 521 &datatype; Repeat n 1; MPI_Type_create_resized *datatype 0 16 &datatype; MPI_Type_commit &datatype; MPI_Pack +room 2 *datatype +more 4096 &numbers5 257",
    "MPI_Type_create_subarray n +ones +ones +zeros 56 521 &datatype; MPI_Type_commit &datatype",
    "MPI_Cart_create 257 n +ones +zeros 0 &comm; MPI_Cart_coords *comm 0 n +room; MPI_Cart_sub *comm +zeros &comm1",
    "MPI_Dims_create 1 n +zeros",
    // Requests.
    "MPI_Waitall n +none 0; MPI_Testall n +none &numbers 0; MPI_Waitany n +none &numbers 0; MPI_Testany n +none &numbers &numbers1 0; MPI_Waitsome n +none &numbers +room 0; MPI_Startall n +none",
    "Repeat n 1; MPI_Send_init +room 1 521 -3 0 257 turn+made; MPI_Startall n +made; MPI_Waitall n +made 0; MPI_Startall n +made; MPI_Testall n +made &numbers +room; Repeat n 1; MPI_Request_free turn+made",
    "Repeat n 1; MPI_Irecv +room 1 521 0 turn 257 turn+made; Repeat n 1; MPI_Send +more 1 521 0 turn 257; MPI_Waitall n +made 0",
    "Repeat n 1; MPI_Isend +room 1 521 0 turn 257 turn+made; Repeat n 1; MPI_Recv +more 1 521 0 turn 257 0; MPI_Waitall n +made 0",
    "Repeat n 1; MPI_Irecv +room 1 521 0 turn 257 turn+made; Repeat n 1; MPI_Cancel turn+made; MPI_Waitall n +made +room",
    "MPI_Buffer_attach +room 2097152; Repeat n 1; MPI_Bsend +more 1 521 -3 turn 257; Repeat n 1; MPI_Bsend +more 1 521 0 turn 257; Repeat n 1; MPI_Recv +more 1 521 0 turn 257 0; MPI_Buffer_detach +made +made",
    "Repeat n 1; MPI_Isend +room 1 521 0 0 257 turn+made; Repeat n 2; MPI_Improbe 0 0 257 &numbers &message 0; MPI_Mrecv +more 1 521 &message 0; MPI_Waitall n +made 0",
    "Repeat n 1; MPI_Grequest_start fn:MPI_Grequest_query_function fn:MPI_Grequest_free_function fn:MPI_Grequest_cancel_function 0 turn+made; Repeat n 1; MPI_Grequest_complete turn@made; MPI_Waitall n +made 0",
    "MPI_Psend_init +room n 1 583 0 0 257 304 &request; MPI_Precv_init +more n 1 583 0 0 257 304 &request1; MPI_Startall 2 &request; MPI_Pready_list n +up *request; Repeat n 1; MPI_Parrived *request1 turn &numbers; MPI_Waitall 2 &request 0",
    "MPI_Psend_init +room n 1 583 0 0 257 304 &request; MPI_Precv_init +more n 1 583 0 0 257 304 &request1; MPI_Startall 2 &request; Repeat n 1; MPI_Pready turn *request; MPI_Waitall 2 &request 0",
    "MPI_Psend_init +room n 1 583 0 0 257 304 &request; MPI_Precv_init +more n 1 583 0 0 257 304 &request1; MPI_Startall 2 &request; Repeat n 1; MPI_Pready turn- *request; MPI_Waitall 2 &request 0",
    "MPI_Psend_init +room n 1 583 0 0 257 304 &request; MPI_Precv_init +more n 1 583 0 0 257 304 &request1; MPI_Start &request; Repeat n 1; MPI_Pready turn- *request; MPI_Start &request1; Repeat n 1; MPI_Parrived *request1 turn- &numbers; MPI_Waitall 2 &request 0",
    "Repeat n 1; MPI_Ibarrier 258 turn+made; MPI_Waitall n +made 0",
    "Repeat n 1; MPI_Iallreduce +room +more 1 521 35 258 turn+made; MPI_Waitall n +made 0",
    // Groups, topologies.
    "MPI_Comm_group 257 &group; MPI_Group_translate_ranks *group n +zeros *group +room; MPI_Group_range_incl *group n +zeros &group1; MPI_Group_incl *group n +zeros &group1",
    "MPI_Dist_graph_create_adjacent 257 n +zeros +ones n +zeros +ones 304 0 &comm; MPI_Neighbor_allgather +room 1 583 +more 1 583 *comm; MPI_Dist_graph_neighbors *comm n +made +room n +made +room",
    "MPI_Dist_graph_create 257 1 +zeros n*1 +zeros +ones 304 0 &comm; MPI_Neighbor_alltoall +room 1 583 +more 1 583 *comm",
    // Files.
    "MPI_File_open 258 'file 34 304 &file; MPI_Type_vector n 1 2 583 &datatype; MPI_Type_commit &datatype; MPI_File_set_view *file 0 583 *datatype 'native 304; MPI_File_write *file +room n 583 0; Repeat n 1; MPI_File_get_byte_offset *file turn &numbers; MPI_File_read_at *file 0 +more n 583 0; MPI_File_close &file",
    "Repeat 256 1; MPI_File_open 258 'file 34 304 &file; Repeat n 1; MPI_File_iwrite_at *file turn +room 1 583 turn+made; MPI_Waitall n +made 0; MPI_File_close &file",
    // Tools.
    "MPI_T_init_thread 0 &numbers; Repeat n 1; MPI_T_cvar_handle_alloc 0 0 turn+made &numbers; Repeat n 1; MPI_T_cvar_handle_free turn+made",
    "MPI_T_init_thread 0 &numbers; MPI_T_pvar_session_create &tool; Repeat n 1; MPI_T_pvar_handle_alloc *tool 0 0 turn+made &numbers; MPI_T_pvar_start *tool -1; Repeat n 1; MPI_T_pvar_handle_free *tool turn+made",
    "MPI_T_init_thread 0 &numbers; Repeat n 1; MPI_T_event_handle_alloc 0 257 304 turn+made; Repeat n 1; MPI_T_event_handle_free turn@made 0 0",
    "MPI_T_init_thread 0 &numbers; Repeat n 2; MPI_T_event_handle_alloc 0 257 304 turn+made; MPI_T_event_register_callback turn@made 0 304 4 fn:MPI_T_event_cb_function; Repeat n 1; MPI_Send +room 1 521 -3 0 257",
    // Names, and what is started.
    "Store32 +text*n 0; MPI_Comm_set_name 257 +text; MPI_Comm_get_name 257 +room &numbers; MPI_Info_create &info; MPI_Info_set *info 'name +text",
    "Repeat n 1; MPI_Publish_name turn+names 304 'name; Repeat n 1; MPI_Unpublish_name turn+names 304 'name",
    // Objects: fields, references, one text for all.
    "Rankine_Type_create 'name 8 4 &tool; Rankine_Type_define *tool n +zeros",
    "Rankine_Type_create 'name 4 4 &tool; Store32 +made 4; Store32 +made*1 0; Rankine_Type_define *tool 1 +made; Rankine_Send +texts n *tool -3 0 257",
];

/// Calls that take more and more within an MPI library, and why: over one, nobody judges what cases with them take.
const OF_LIBRARIES: &[(&str, &str)] = &[
    ("MPI_Bsend", "MPICH goes through all messages in the buffer"),
    ("MPI_File_get_byte_offset", "ROMIO goes through the blocks of a view from the first"),
];

/// Whether what calls with these names take over a library is the library's own.
pub fn is_of_library(text: &str) -> bool {
    OF_LIBRARIES.iter().any(|(call, _)| text.contains(call))
}

/// The recipes as calls, of arguments of this length.
pub fn recipe(catalogue: &Catalogue, text: &str, n: u32) -> Result<Case> {
    let calls = text.split("; ").map(|call| parse(catalogue, call, n).with_context(|| call.to_owned()));
    Ok(case(calls.collect::<Result<_>>()?))
}

fn case(calls: Vec<Call>) -> Case {
    let programs = vec![Program { calls, callbacks: Vec::new() }];
    Case { ranks: 1, fibers: false, twice: false, mode: Mode::Long, programs }
}

fn parse(catalogue: &Catalogue, text: &str, n: u32) -> Result<Call> {
    let mut words = text.split(' ');
    let function = catalogue.position(words.next().unwrap_or_default()).context("there is no such function")?;
    let arguments: Vec<Argument> = words.map(|word| argument(catalogue, word, n)).collect::<Result<_>>()?;
    ensure!(arguments.len() == catalogue.functions[function].parameters.len(), "it has other parameters");
    Ok(Call { function: function as u16, arguments })
}

fn argument(catalogue: &Catalogue, word: &str, n: u32) -> Result<Argument> {
    let times = |text: &str| -> Result<u32> { Ok(if text == "n" { n } else { text.parse()? }) };
    let number = |number: u32| Argument::Is(number.into());
    let find = |name: &str| area(name).with_context(|| format!("no area is called {name}"));
    Ok(match (word, word.split_once('*')) {
        ("n", _) => number(n),
        ("turn", _) => Argument::Turn(0, 1),
        ("turn-", _) => Argument::Turn(n as i32 - 1, -1),
        (_, Some(("n", factor))) => number(n * times(factor)?),
        (_, Some((place, count))) if place.starts_with('+') => {
            let (at, size) = find(&place[1..])?;
            // A text has a letter for each, and arrays of words have a word.
            number(at + times(count)? * if place == "+text" { 1 } else { size })
        }
        _ => match (word.strip_prefix("turn+"), word.strip_prefix("turn@"), word.strip_prefix('+')) {
            (Some(name), ..) => {
                let (at, size) = find(name)?;
                Argument::Turn(at as i32, size as i32)
            }
            (_, Some(name), _) => {
                let (at, size) = find(name)?;
                Argument::AtTurn(at, size)
            }
            (.., Some(name)) => number(find(name)?.0),
            _ => plain(catalogue, word)?,
        },
    })
}

/// A case that is drawn, the same for every length.
pub fn draw(u: &mut Unstructured, catalogue: &Catalogue, choice: &Choice, n: u32) -> arbitrary::Result<Case> {
    let mut calls = crate::beginning::draw(u, catalogue, |function| {
        choice.has(function) && !catalogue.functions[usize::from(function)].waits
    })?;
    for _ in 0..u.int_in_range(0..=2)? {
        let repeat = catalogue.position("Repeat").expect("the guest has it") as u16;
        calls.push(Call { function: repeat, arguments: vec![Argument::Is(n.into()), Argument::Is(1)] });
        calls.push(call(u, catalogue, choice, n, true)?);
    }
    for _ in 0..u.int_in_range(1..=4)? {
        calls.push(call(u, catalogue, choice, n, false)?);
    }
    Ok(case(calls))
}

fn call(
    u: &mut Unstructured,
    catalogue: &Catalogue,
    choice: &Choice,
    n: u32,
    is_repeated: bool,
) -> arbitrary::Result<Call> {
    let mut drawn = draw::call(u, catalogue, choice)?;
    while is_out_of_place(&catalogue.functions[usize::from(drawn.function)]) {
        drawn = draw::call(u, catalogue, choice)?;
        if u.is_empty() {
            break;
        }
    }
    let parameters = &catalogue.functions[usize::from(drawn.function)].parameters;
    for (argument, (_, what)) in drawn.arguments.iter_mut().zip(parameters) {
        if let Some(long) = long(u, what, n, is_repeated)? {
            *argument = long;
        }
    }
    Ok(drawn)
}

/// What waits, starts ranks, moves the memory's end, or takes as long as it is told: mathematics and pictures.
fn is_out_of_place(callee: &Callee) -> bool {
    let is_mpi = callee.origin == Origin::Module(rankine_abi::MODULE);
    let is_object = callee.origin == Origin::Module("rankine");
    callee.waits && is_mpi || !(is_mpi || is_object) || callee.name.starts_with("MPI_File_preallocate")
}

/// A long argument: the whole of an area, or an element of one for each time that the call is made.
fn long(u: &mut Unstructured, what: &What, n: u32, is_repeated: bool) -> arbitrary::Result<Option<Argument>> {
    let names: &[&str] = match what {
        What::Count if !is_repeated && u.ratio(3, 4)? => return Ok(Some(Argument::Is(n.into()))),
        // Not a count: the arguments of all calls together would be as long as the square.
        What::Int | What::Tag | What::Displacement if is_repeated && u.ratio(1, 4)? => {
            return Ok(Some(Argument::Turn(0, 1)));
        }
        What::Handles(rankine_gen::functions::Class::Datatype) if !is_repeated => &["types"],
        What::Handles(rankine_gen::functions::Class::Request) if !is_repeated => &["none", "made", "made"],
        What::Handles(_) | What::Tools => &["made"],
        What::Numbers(8) => &["wide", "zeros"],
        What::Numbers(_) => &["up", "down", "ones", "zeros", "made"],
        What::Text => &["names", "names", "text"],
        What::Texts => &["named", "texts"],
        What::Buffer | What::Pointer => &["room", "more"],
        _ => return Ok(None),
    };
    let Some((at, size)) = area(u.choose(names)?) else { return Ok(None) };
    let is_turn = is_repeated && u.ratio(3, 4)?;
    Ok(Some(if is_turn { Argument::Turn(at as i32, size as i32) } else { Argument::Is(at.into()) }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_recipes_are_calls() {
        let catalogue = Catalogue::new().unwrap();
        for text in RECIPES {
            recipe(&catalogue, text, 1000).unwrap();
        }
    }

    #[test]
    fn what_is_drawn_differs_in_its_length_alone() {
        let catalogue = Catalogue::new().unwrap();
        let choice = Choice::of(&catalogue, |callee| callee.in_local, true);
        let bytes: Vec<u8> = (0..2000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        let text = |n| draw(&mut Unstructured::new(&bytes), &catalogue, &choice, n).unwrap().to_text(&catalogue);
        assert_eq!(text(1234).replace("1234", "4321"), text(4321));
        assert!(text(1234).contains("1234"));
    }
}
