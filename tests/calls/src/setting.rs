//! What calls need that are not collectives, if some of their arguments may say nothing: what three ranks do before and after,
//! and what is right in each argument, by its name.

use rankine_abi::Op;
use rankine_gen::functions::Function;

/// What a call is about.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Setting {
    /// A window of each rank, of which that of the first is accessed.
    Window,
    /// The first two ranks and the last one become the groups of an intercommunicator, by a communicator or by groups.
    Leaders,
    Groups,
    /// The first two ranks accept the last, or connect to it.
    Accept,
    Connect,
    /// All three start processes.
    Spawn,
}

impl Setting {
    /// That of a function; none for collectives.
    pub(crate) fn of(function: &Function) -> Option<Setting> {
        Some(match (function.chapter.as_str(), function.name.as_str()) {
            ("rma", _) => Setting::Window,
            ("comm", _) => Setting::Leaders,
            ("session", _) => Setting::Groups,
            (_, "MPI_Comm_accept") => Setting::Accept,
            (_, "MPI_Comm_connect") => Setting::Connect,
            ("spawn", _) => Setting::Spawn,
            _ => return None,
        })
    }

    /// Whether the last rank is in a group of its own.
    pub(crate) fn has_groups(&self) -> bool {
        matches!(self, Setting::Leaders | Setting::Groups)
    }

    /// What a rank calls before.
    pub(crate) fn before(self, rank: i64) -> &'static str {
        match (self, rank) {
            (Setting::Window, _) => "MPI_Win_create &buffers2048 1024 1 304 257 &win; MPI_Win_lock_all 0 *win",
            (Setting::Leaders, 2) => "MPI_Comm_split 257 1 0 &comm",
            (Setting::Leaders, _) => "MPI_Comm_split 257 0 0 &comm",
            (Setting::Groups, 2) => {
                "MPI_Comm_group 257 &group2; Store32 &numbers900 2; MPI_Group_incl *group2 1 &numbers900 &group; MPI_Group_excl *group2 1 &numbers900 &group1"
            }
            (Setting::Groups, _) => {
                "MPI_Comm_group 257 &group2; Store32 &numbers900 2; MPI_Group_excl *group2 1 &numbers900 &group; MPI_Group_incl *group2 1 &numbers900 &group1"
            }
            // Who accepts opens the port and tells the other side's first rank.
            (Setting::Accept, 0) => {
                "MPI_Comm_split 257 0 0 &comm; MPI_Open_port 304 &buffers; MPI_Send &buffers 256 579 2 7 257"
            }
            (Setting::Accept, 2) => "MPI_Comm_split 257 1 0 &comm; MPI_Recv &buffers 256 579 0 7 257 0",
            (Setting::Connect, 2) => {
                "MPI_Comm_split 257 1 0 &comm; MPI_Open_port 304 &buffers; MPI_Send &buffers 256 579 0 7 257"
            }
            (Setting::Connect, 0) => "MPI_Comm_split 257 0 0 &comm; MPI_Recv &buffers 256 579 2 7 257 0",
            (Setting::Accept | Setting::Connect, _) => "MPI_Comm_split 257 0 0 &comm",
            (Setting::Spawn, _) => "MPI_Comm_dup 257 &comm",
        }
    }

    /// What a rank calls instead of the function.
    pub(crate) fn instead(self, rank: i64) -> Option<String> {
        let other = match (self, rank) {
            (Setting::Accept, 2) => "MPI_Comm_connect",
            (Setting::Connect, 2) => "MPI_Comm_accept",
            _ => return None,
        };
        Some(format!("{other} &buffers 304 0 *comm &comm1"))
    }

    /// What all ranks call behind it.
    pub(crate) fn after(&self) -> Option<&'static str> {
        match self {
            Setting::Window => Some("MPI_Win_unlock_all *win; MPI_Win_free &win"),
            Setting::Leaders | Setting::Groups => Some("MPI_Barrier *comm1; MPI_Comm_free &comm1"),
            Setting::Accept | Setting::Connect => Some("MPI_Barrier *comm1; MPI_Comm_disconnect &comm1"),
            // Those that were started wait for nobody.
            Setting::Spawn => None,
        }
    }

    /// What is right in an argument.
    pub(crate) fn right(self, name: &str, rank: i64) -> Option<String> {
        let word = match name {
            "op" => return Some(Op::NO_OP.0.to_string()),
            "result_addr" => "&buffers1024",
            "result_count" | "target_count" | "maxprocs" => "1",
            "datatype" | "result_datatype" | "target_datatype" => "521",
            "target_rank" | "target_disp" | "root" | "local_leader" | "argv" | "array_of_argv" => "0",
            "win" => "*win",
            "request" => "&request",
            "local_comm" | "comm" => "*comm",
            "peer_comm" => "257",
            "remote_leader" if self == Setting::Leaders && rank == 0 => "2",
            "remote_leader" | "array_of_errcodes" => "0",
            "tag" => "5",
            "local_group" => "*group",
            "remote_group" => "*group1",
            "stringtag" => "'name",
            "info" => "304",
            "errhandler" => "323",
            "newintercomm" | "newcomm" | "intercomm" => "&comm1",
            "port_name" => "&buffers",
            "command" => "'child",
            "count" => "2",
            "array_of_commands" => "&commands",
            "array_of_maxprocs" => "&processes",
            "array_of_info" => "&informations",
            _ => return None,
        };
        Some(word.to_owned())
    }
}
