//! Letters between the processes of a job that is looked at (`--view`, `--record`): they travel in a communicator that no guest
//! has a handle of, while guests publish, and nobody waits for them before `MPI_Finalize`.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::ffi::c_int;
use std::ptr::null_mut;
use std::sync::Arc;
use std::time::Duration;

use rankine_abi::{Comm, Datatype, MPI_ANY_SOURCE, MPI_THREAD_SERIALIZED};
use rankine_guest::{Charge, Cost};
use rankine_view::{Apart, Letter, View};

use super::rank::Rank;
use crate::Result;
use crate::call::words::Status;
use crate::generated::symbols;

/// Letters on their way at a time.
const MOST: usize = 32;
/// Between two looks at what is under way, where there is nothing else to do.
const PAUSE: Duration = Duration::from_millis(1);

const TAG: c_int = 0;
/// The tag of the message after the last letter.
const LEAVE: c_int = 1;
const BYTE: usize = Datatype::BYTE.0 as usize;

/// What a rank's process has of letters.
#[derive(Default)]
pub(crate) struct State {
    view: Option<Arc<View>>,
    /// The library's handle of the communicator, once MPI is initialised.
    comm: Cell<Option<usize>>,
    under_way: RefCell<UnderWay>,
    /// Letters are being carried: what the library calls back meanwhile carries none.
    is_carrying: Cell<bool>,
}

/// Letters whose bytes the library may still touch.
#[derive(Default)]
struct UnderWay {
    sent: Vec<(usize, Letter)>,
    /// In the order in which they were found, and so in that of their sending.
    coming: VecDeque<Coming>,
}

struct Coming {
    request: usize,
    from: c_int,
    bytes: Vec<u8>,
    is_there: bool,
    /// None of a letter that came alone where there was no room for it.
    _charge: Option<Charge>,
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        // What was under way when a rank ended without MPI_Finalize stays the library's.
        std::mem::forget((std::mem::take(&mut self.sent), std::mem::take(&mut self.coming)));
    }
}

impl State {
    pub(crate) fn new(view: Option<&Arc<View>>) -> State {
        State { view: view.filter(|view| view.apart().is_some()).cloned(), ..State::default() }
    }
}

impl Rank {
    /// MPI has been initialised in all processes: makes the communicator, together with the others.
    pub(crate) fn open_post(&self) -> Result<()> {
        if self.post.view.is_none() {
            return Ok(());
        }
        let (duplicate, mut comm) = (self.symbol::<symbols::MPI_Comm_dup>()?, 0);
        // SAFETY: a constant of the ABI, which nobody has given attributes yet, and a result on the stack.
        self.check(unsafe { duplicate(Comm::WORLD.0 as usize, &mut comm) })?;
        self.post.comm.set(Some(comm));
        Ok(())
    }

    /// Writes letters; whether there is a way to carry them now.
    pub(crate) fn write_letters(&self) -> bool {
        let Some(view) = &self.post.view else { return false };
        view.write_letters();
        let may_call = self.init.is_main.get() != Some(false) || self.init.thread_level.get() >= MPI_THREAD_SERIALIZED;
        self.post.comm.get().is_some() && may_call && self.is_running() && !self.inside.get()
    }

    /// Carries letters as far as that goes at once.
    pub(crate) fn carry_letters(&self) {
        if let (Some(view), Some(comm)) = (&self.post.view, self.post.comm.get()) {
            self.carry_in(view, comm);
        }
    }

    fn carry_in(&self, view: &Arc<View>, comm: usize) {
        if self.post.is_carrying.replace(true) {
            return;
        }
        // Nothing is borrowed while the library runs.
        let mut under_way = self.post.under_way.take();
        let carried = self.carry(view, comm, &mut under_way);
        *self.post.under_way.borrow_mut() = under_way;
        self.post.is_carrying.set(false);
        if let Err(error) = carried {
            self.post.comm.set(None);
            view.notice(&format!("other ranks are shown no more: {error}"));
        }
    }

    fn carry(&self, view: &Arc<View>, comm: usize, under_way: &mut UnderWay) -> Result<()> {
        let UnderWay { sent, coming } = under_way;
        self.note_carried(sent, coming)?;
        let send = self.symbol::<symbols::MPI_Isend>()?;
        while sent.len() < MOST
            && let Some(letter) = view.apart().and_then(|apart| apart.next_letter())
        {
            let (Ok(length), Ok(to)) = (c_int::try_from(letter.bytes.len()), c_int::try_from(letter.to)) else {
                continue;
            };
            let mut request = 0;
            // SAFETY: the bytes stay where they are, also when the letter moves, until the request is complete.
            let code = unsafe { send(letter.bytes.as_ptr().cast(), length, BYTE, to, TAG, comm, &mut request) };
            self.check(code)?;
            sent.push((request, letter));
        }
        while coming.len() < MOST
            && let Some(letter) = self.find_letter(comm, coming.is_empty())?
        {
            coming.push_back(letter);
        }
        self.note_carried(sent, coming)?;
        // Of each rank in order: one that is still on its way holds up those behind it.
        let mut slow: Vec<c_int> = Vec::new();
        let mut left = VecDeque::new();
        for letter in coming.drain(..) {
            if letter.is_there && !slow.contains(&letter.from) {
                view.receive(letter.from as usize, &letter.bytes);
            } else {
                slow.push(letter.from);
                left.push_back(letter);
            }
        }
        *coming = left;
        Ok(())
    }

    /// Notes which letters are no longer under way.
    fn note_carried(&self, sent: &mut Vec<(usize, Letter)>, coming: &mut VecDeque<Coming>) -> Result<()> {
        let test = self.symbol::<symbols::MPI_Test>()?;
        let is_over = |request: &mut usize| {
            let mut flag = 0;
            // SAFETY: the request is under way, and results are on the stack.
            self.check(unsafe { test(request, &mut flag, null_mut()) }).map(|()| flag != 0)
        };
        let mut n = 0;
        while n < sent.len() {
            if is_over(&mut sent[n].0)? {
                sent.swap_remove(n);
            } else {
                n += 1;
            }
        }
        for letter in coming.iter_mut().filter(|letter| !letter.is_there) {
            letter.is_there = is_over(&mut letter.request)?;
        }
        Ok(())
    }

    /// Begins to receive the next letter that has been sent, if there is one and room for it. One that is alone comes anyway: its
    /// sender waits for that in MPI_Finalize, and memory that is full of what the page still needs may never be free again.
    fn find_letter(&self, comm: usize, is_alone: bool) -> Result<Option<Coming>> {
        let (probe, count, receive) = (
            self.symbol::<symbols::MPI_Iprobe>()?,
            self.symbol::<symbols::MPI_Get_count>()?,
            self.symbol::<symbols::MPI_Irecv>()?,
        );
        let (mut flag, mut status, mut length): (c_int, Status, c_int) = (0, [0; 8], 0);
        // SAFETY: results on the stack.
        self.check(unsafe { probe(MPI_ANY_SOURCE, TAG, comm, &mut flag, &mut status) })?;
        if flag == 0 {
            return Ok(None);
        }
        // SAFETY: the probe has filled the status.
        self.check(unsafe { count(&status, BYTE, &mut length) })?;
        let size = usize::try_from(length).unwrap_or(0);
        let charge = self.account().charge(size, Cost::Post).ok();
        if charge.is_none() && !is_alone {
            return Ok(None);
        }
        let mut letter = Coming { request: 0, from: status[0], bytes: vec![0; size], is_there: false, _charge: charge };
        let Coming { request, from, bytes, .. } = &mut letter;
        // SAFETY: there is room for the whole message, which stays where it is until the request is complete.
        self.check(unsafe { receive(bytes.as_mut_ptr().cast(), length, BYTE, *from, TAG, comm, request) })?;
        Ok(Some(letter))
    }

    /// All processes are in `MPI_Finalize`: the last letters arrive, and the communicator is given back.
    pub(crate) fn close_post(&self) -> Result<()> {
        let Some(view) = self.post.view.clone() else { return Ok(()) };
        view.write_last_letters();
        while let Some(comm) = self.post.comm.get().filter(|_| !self.is_all_carried(&view)) {
            self.carry_in(&view, comm);
            std::thread::sleep(PAUSE);
        }
        let Some(mut comm) = self.post.comm.take() else { return Ok(()) };
        let free = self.symbol::<symbols::MPI_Comm_free>()?;
        match view.apart().is_some_and(Apart::is_first) {
            true => self.take_leave(comm)?,
            false => self.discard_letters(comm)?,
        }
        // SAFETY: the communicator is ours, and nothing is under way in it.
        self.check(unsafe { free(&mut comm) })
    }

    /// The first process, to which all others have written their last, tells each that no more letters come.
    fn take_leave(&self, comm: usize) -> Result<()> {
        let (size, send) = (self.symbol::<symbols::MPI_Comm_size>()?, self.symbol::<symbols::MPI_Send>()?);
        let mut ranks = 0;
        // SAFETY: a result on the stack.
        self.check(unsafe { size(comm, &mut ranks) })?;
        // SAFETY: a message of no bytes, for which every other process waits.
        (1..ranks).try_for_each(|to| self.check(unsafe { send(null_mut(), 0, BYTE, to, LEAVE, comm) }))
    }

    /// What the first process has asked last nobody needs any more, but a communicator with messages left can't be freed. They
    /// are all there when it takes leave, as none overtakes another.
    fn discard_letters(&self, comm: usize) -> Result<()> {
        let (receive, wait) = (self.symbol::<symbols::MPI_Recv>()?, self.symbol::<symbols::MPI_Wait>()?);
        // SAFETY: a message of no bytes, which the first process sends.
        self.check(unsafe { receive(null_mut(), 0, BYTE, 0, LEAVE, comm, null_mut()) })?;
        while let Some(mut letter) = self.find_letter(comm, true)? {
            // SAFETY: the message was sent, and there is room for it until it has arrived.
            self.check(unsafe { wait(&mut letter.request, null_mut()) })?;
        }
        Ok(())
    }

    fn is_all_carried(&self, view: &View) -> bool {
        let Some(apart) = view.apart() else { return true };
        let under_way = self.post.under_way.borrow();
        let is_told = !apart.is_first() || apart.all_have_left();
        is_told && under_way.sent.is_empty() && under_way.coming.is_empty() && !apart.has_letters()
    }
}
