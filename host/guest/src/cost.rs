//! What a rank's account is charged for.
//!
//! The page of the book about memory has a table of these kinds, which a test compares with them: what is not charged
//! does not stand there, and what is stands there with the program that takes as much of it as it can get.

use std::fmt;

/// Whose memory something is, for as long as it is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payer {
    /// The rank's whose program has it, or made it.
    Maker,
    /// Each rank's for its own part of what several make together.
    Part,
    /// The rank's that it has come to.
    Receiver,
    /// The rank's whose call it is, until that has returned.
    Caller,
}

impl Payer {
    /// As the book has it.
    pub fn words(self) -> &'static str {
        match self {
            Payer::Maker => "who makes it",
            Payer::Part => "each rank, its own part",
            Payer::Receiver => "who it has come to",
            Payer::Caller => "the caller, until the call returns",
        }
    }
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident, $words:literal, $payer:ident, $program:literal;)*) => {
        /// What something that lies outside of a guest's memory is.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Cost {
            $($(#[$doc])* #[doc = $words] $name,)*
        }

        impl Cost {
            /// All of them, in the order of the book's table.
            pub const ALL: &[Cost] = &[$(Cost::$name),*];

            /// What an error calls them: "… need 10 more bytes".
            pub const fn words(self) -> &'static str {
                match self { $(Cost::$name => $words,)* }
            }

            /// Who is charged.
            pub const fn payer(self) -> Payer {
                match self { $(Cost::$name => Payer::$payer,)* }
            }

            /// The program in `tests/sandbox` that takes as much of it as it can get.
            pub const fn program(self) -> &'static str {
                match self { $(Cost::$name => $program,)* }
            }
        }
    };
}

kinds! {
    Memories, "linear memories", Maker, "quota_memories_grow.wat";
    SharedMemory, "memory that threads share", Maker, "quota_shared_growth.c";
    Tables, "tables", Maker, "quota_tables_grow.wat";
    References, "garbage-collected references and exceptions", Maker, "quota_references.wat";
    Instances, "a program's globals and segments", Maker, "quota_threads.c";
    Threads, "a thread", Maker, "quota_threads.c";
    CallbackStacks, "stacks of callbacks inside one another", Maker, "quota_callbacks.c";
    SharedWindows, "shared windows", Part, "quota_shared_windows.c";
    Windows, "windows", Maker, "quota_each.c";
    Attachments, "attached memory", Maker, "quota_each.c";
    Handles, "handles", Maker, "quota_handles.c";
    Requests, "requests", Maker, "quota_kept.c";
    Operations, "operations that are pending", Maker, "quota_layouts.c";
    Layouts, "layouts of messages", Maker, "quota_layouts.c";
    Partitions, "messages in partitions", Maker, "quota_kept.c";
    Buffered, "buffered messages", Maker, "quota_kept.c";
    Unreceived, "messages that nobody has received", Maker, "quota_images.c";
    Unexpected, "unexpected messages", Receiver, "quota_buffered_sends.c";
    Incoming, "messages from others", Receiver, "quota_hints.c";
    MessageBuffers, "buffers for messages", Receiver, "quota_objects.c";
    Statuses, "statuses", Caller, "quota_waitsome.wat";
    Arguments, "copies of a call's arguments", Caller, "quota_huge_array.wat";
    Collectives, "collectives that go on", Maker, "quota_collectives.c";
    Operands, "operands of collectives", Maker, "quota_collectives.c";
    Blocks, "blocks of a collective", Maker, "quota_kept.c";
    Neighbours, "the neighbours of a collective", Maker, "quota_kept.c";
    Reductions, "reductions in one order", Caller, "quota_reductions.c";
    Datatypes, "datatypes", Maker, "quota_kept.c";
    Communicators, "communicators", Maker, "quota_handles.c";
    Groups, "groups", Maker, "quota_handles.c";
    Topologies, "topologies", Maker, "quota_kept.c";
    Attributes, "attributes", Maker, "quota_kept.c";
    Keyvals, "keyvals", Maker, "quota_keyvals.c";
    Infos, "info objects", Maker, "quota_kept.c";
    Codes, "error classes, codes and strings", Maker, "quota_kept.c";
    Blocked, "blocks of MPI_Alloc_mem", Maker, "quota_each.c";
    Ports, "ports", Maker, "quota_each.c";
    Names, "published names", Maker, "quota_each.c";
    Modules, "modules of ranks to start", Maker, "quota_modules.c";
    Outcomes, "outcomes of calls that start ranks", Maker, "spawn_outcomes.c";
    Files, "files", Maker, "quota_each.c";
    PrivateFiles, "files of its own", Maker, "quota_own_files.c";
    Representations, "data representations", Maker, "quota_each.c";
    Converted, "converted bytes of files", Maker, "quota_files.c";
    Events, "events that wait", Maker, "quota_each.c";
    Types, "descriptions of types", Maker, "quota_objects.c";
    Plans, "plans of object graphs", Maker, "quota_objects.c";
    Images, "messages of objects", Maker, "quota_images.c";
    Objects, "the objects of a message", Caller, "quota_objects.c";
    Factorisations, "a factorisation", Caller, "quota_factorisations.c";
    Transforms, "a transform", Maker, "fourier_limit.c";
    Frames, "a frame for the page", Maker, "quota_view.c";
    Letters, "letters to the page", Maker, "quota_view.c";
    Post, "letters of other ranks", Receiver, "quota_view.c";
    Transfers, "a read or write of WASI", Caller, "quota_transfers.wat";
    Descriptors, "open files of WASI", Maker, "quota_descriptors.c";
    Listings, "names in a folder, while they are listed", Caller, "quota_descriptors.c";
    Polls, "a poll", Caller, "quota_poll.wat";
    HeapRecords, "what --check-heap knows of blocks", Maker, "quota_check_heap.c";
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn root() -> &'static Path {
        Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
    }

    #[test]
    fn the_book_has_them_all() {
        let page = std::fs::read_to_string(root().join("docs/memory.md")).unwrap();
        let row = |cost: &Cost| format!("| {cost} | {} | `{}` |", cost.payer().words(), cost.program());
        let wanted: Vec<String> = Cost::ALL.iter().map(row).collect();
        let section = page.split("\n## ").find(|section| section.starts_with("What is charged")).unwrap();
        let rows: Vec<&str> = section.lines().filter(|line| line.starts_with("| ")).skip(1).collect();
        assert_eq!(rows, wanted, "docs/memory.md should have:\n{}", wanted.join("\n"));
    }

    #[test]
    fn a_program_takes_each_and_says_what_its_process_may_have() {
        for cost in Cost::ALL {
            let path = root().join("tests/sandbox").join(cost.program());
            let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let head: Vec<&str> =
                text.lines().take_while(|line| line.starts_with("//") || line.starts_with(";;")).collect();
            // What the book says of them: with 64 MiB a rank, the limits of the ranks in a process and a sum that is always the same.
            for key in ["peak: limits + 96", "--memory-limit 64M"] {
                assert!(head.iter().any(|line| line.contains(key)), "{}: {key}", path.display());
            }
            // On both engines, unless it is somebody else's on the other; where a library refuses in its own way, the memory is
            // judged all the same.
            let says = |text: &str| head.iter().any(|line| line.contains(text));
            let is_on_both = !says("engines: local") || says("bounded: mpi") || says("// Over an MPI library ");
            assert!(is_on_both, "{}: bounded", path.display());
        }
    }
}
