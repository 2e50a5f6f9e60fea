//! Events (§15.3.8): what the engine tells listeners of, to callbacks of the ranks that it concerns.
//!
//! An event happens inside the engine, often by a peer's hand, where no guest's code can run. So it waits, with the time
//! when it was, until its rank begins its next call of MPI: the callbacks run first. What finds no room until then is
//! counted, and told to the handler of dropped events.

use rankine_abi::{
    Addr, Datatype, FnPtr, Info, Kept, MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE, MPI_T_CB_REQUIRE_MPI_RESTRICTED,
    MPI_T_CB_REQUIRE_NONE, MPI_T_CB_REQUIRE_THREAD_SAFE, MPI_T_ERR_INVALID, MPI_T_ERR_INVALID_INDEX,
    MPI_T_SOURCE_ORDERED,
};
use rankine_guest::{Arguments, Callback, Cost};
use smallvec::{SmallVec, smallvec};

use super::{Handle, Open, named, no_handle, no_room, numbered};
use crate::ear::{Heard, LONGEST, Waiting};
use crate::error::{Error, Result};
use crate::events::{Event, KINDS};
use crate::rank::Rank;

/// A kind of event. Its elements are all `MPI_LONG_LONG`, one after the other.
pub struct Kind {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub about: &'static str,
    /// What its elements are called.
    pub elements: &'static [&'static str],
}

/// The datatype of every element, and its bytes.
pub const ELEMENT: (Datatype, i32) = (Datatype::LONG_LONG, 8);

/// All kinds of events, by their numbers.
pub static EVENTS: [Kind; KINDS] = [
    Kind {
        name: "rankine_sent",
        about: "a message of this rank went out in its envelope, or was buffered (receiver, bytes)",
        elements: &["receiver", "bytes"],
    },
    Kind {
        name: "rankine_matched",
        about: "a message came to this rank, which waited for it (source in its communicator, tag, bytes)",
        elements: &["source", "tag", "bytes"],
    },
    Kind {
        name: "rankine_unexpected",
        about: "a message came to this rank before it was asked for (source in its communicator, tag, bytes)",
        elements: &["source", "tag", "bytes"],
    },
    Kind {
        name: "rankine_copied",
        about: "a message was copied from memory to memory (sender, receiver, who copied, bytes)",
        elements: &["sender", "receiver", "by", "bytes"],
    },
    Kind {
        name: "rankine_accessed",
        about: "a rank reached into another's part of a window (origin, target, bytes)",
        elements: &["origin", "target", "bytes"],
    },
    Kind {
        name: "rankine_file_accessed",
        about: "this rank has read or written a file (1 if written, bytes)",
        elements: &["written", "bytes"],
    },
    Kind { name: "rankine_spun", about: "this rank looked for what it waits for (how often)", elements: &["polls"] },
    Kind { name: "rankine_parked", about: "this rank found nothing to do and sleeps", elements: &[] },
    Kind { name: "rankine_woken", about: "this rank runs again", elements: &[] },
];

impl Event {
    fn elements(self) -> SmallVec<[i64; 4]> {
        match self {
            Event::Sent { to, bytes, .. } => smallvec![to as i64, bytes as i64],
            Event::Arrived { source, tag, bytes, .. } => smallvec![source.into(), tag.into(), bytes as i64],
            Event::Copied { from, to, bytes, by } => smallvec![from as i64, to as i64, by as i64, bytes as i64],
            Event::Accessed { by, to, bytes } => smallvec![by as i64, to as i64, bytes as i64],
            Event::Carried { bytes, written, .. } => smallvec![written.into(), bytes as i64],
            Event::Spun { polls, .. } => smallvec![polls.into()],
            Event::Parked { .. } | Event::Woken { .. } => SmallVec::new(),
        }
    }
}

/// What callbacks may do, from all that MPI has to next to nothing. A callback runs between two calls, so any may.
const LEVELS: [i32; 4] = [
    MPI_T_CB_REQUIRE_NONE,
    MPI_T_CB_REQUIRE_MPI_RESTRICTED,
    MPI_T_CB_REQUIRE_THREAD_SAFE,
    MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE,
];

fn level(safety: i32) -> Result<usize> {
    let error = || Error::new(MPI_T_ERR_INVALID, format!("cb_safety is {safety}, which is not a level of safety"));
    LEVELS.iter().position(|&level| level == safety).ok_or_else(error)
}

/// A rank's interest in a kind of events.
pub(super) struct Registration {
    kind: usize,
    /// A callback for each level, with the user's pointer.
    callbacks: [Option<(FnPtr, Kept)>; LEVELS.len()],
    dropped: Option<FnPtr>,
}

impl Registration {
    /// The callback that is called: the one that may do most.
    fn callback(&self) -> Option<(i32, FnPtr, Kept)> {
        let all = LEVELS.into_iter().zip(self.callbacks);
        all.into_iter().find_map(|(level, callback)| callback.map(|(function, data)| (level, function, data)))
    }
}

/// Events that are being told to callbacks.
#[derive(Default)]
pub(super) struct Telling {
    waiting: Waiting,
    /// The handle of the event that is told now, and who is still to hear of it.
    instance: u32,
    to: SmallVec<[u32; 4]>,
    /// Who is still to hear of dropped events, and of how many.
    losses: SmallVec<[(u32, i64); 4]>,
}

impl Open {
    fn registration(&mut self, handle: u32) -> Result<&mut Registration> {
        match self.handles.get_mut(handle) {
            Some(Handle::Registration(registration)) => Ok(registration),
            _ => Err(no_handle(handle, "an event's registration")),
        }
    }

    fn instance(&self, handle: u32) -> Result<Heard> {
        match self.handles.get(handle) {
            Some(Handle::Instance(heard)) => Ok(*heard),
            _ => Err(no_handle(handle, "an event, which has one while its callback runs")),
        }
    }

    /// The registrations of a kind that have a callback, the last one first.
    fn listeners(&self, kind: usize) -> SmallVec<[u32; 4]> {
        self.listeners[kind].iter().rev().copied().collect()
    }

    /// The kinds that have a callback.
    fn wanted(&self) -> u32 {
        (0..KINDS).filter(|&kind| !self.listeners[kind].is_empty()).fold(0, |kinds, kind| kinds | 1 << kind)
    }

    /// The next callback.
    fn tell_next(&mut self, is_wide: bool) -> Option<Callback> {
        loop {
            while let Some(to) = self.telling.to.pop() {
                let found = self.registration(to).ok().and_then(|known| known.callback());
                if let Some((level, function, data)) = found {
                    let arguments = Arguments::of(is_wide).handle(self.telling.instance).handle(to);
                    return Some(arguments.int(level).kept(data).call(function));
                }
            }
            self.handles.remove(self.telling.instance);
            self.telling.instance = 0;
            let Some(heard) = self.telling.waiting.events.pop_front() else { return self.tell_loss(is_wide) };
            match self.handles.insert(Handle::Instance(heard)) {
                Ok(instance) => {
                    self.telling.instance = instance;
                    self.telling.to = self.listeners(heard.event.kind());
                }
                Err(_) => self.telling.waiting.lost[heard.event.kind()] += 1,
            }
        }
    }

    /// The next handler of dropped events.
    fn tell_loss(&mut self, is_wide: bool) -> Option<Callback> {
        for kind in 0..KINDS {
            let lost = std::mem::take(&mut self.telling.waiting.lost[kind]);
            if lost > 0 {
                let listeners = self.listeners(kind);
                self.telling.losses.extend(listeners.into_iter().map(|to| (to, lost)));
            }
        }
        while let Some((to, lost)) = self.telling.losses.pop() {
            let Ok(known) = self.registration(to) else { continue };
            if let (Some(function), Some((level, _, data))) = (known.dropped, known.callback()) {
                let arguments = Arguments::of(is_wide).long(lost).handle(to).int(0).int(level).kept(data);
                return Some(arguments.call(function));
            }
        }
        None
    }
}

impl Rank {
    /// Whether somebody in the job listens. Then a call begins with [`Rank::hear`].
    #[inline]
    pub fn is_observed(&self) -> bool {
        self.world().is_observed()
    }

    /// Takes up what is to be told to this rank's callbacks: false if there is nothing, or some are being told already.
    pub fn hear(&self) -> bool {
        if self.tools.hearing.get() {
            return false;
        }
        let Some(ear) = self.world().ear(self.me()) else { return false };
        let waiting = ear.take();
        let is_any = !waiting.events.is_empty();
        if is_any && let Some(open) = self.tools.open.borrow_mut().as_deref_mut() {
            open.telling.waiting = waiting;
            self.tools.hearing.set(true);
        }
        self.tools.hearing.get()
    }

    /// The next callback to be called, after [`Rank::hear`]. Without one, all have heard.
    pub fn next_to_hear(&self) -> Option<Callback> {
        let is_wide = self.memory().is_wide();
        let next = self.tools.open.borrow_mut().as_deref_mut().and_then(|open| open.tell_next(is_wide));
        self.tools.hearing.set(next.is_some());
        next
    }

    /// Refuses what must not happen while a callback of an event runs.
    pub(crate) fn check_not_hearing(&self, class: i32) -> Result<()> {
        match self.tools.hearing.get() {
            false => Ok(()),
            true => Err(Error::new(class, "an event's callback must not end what it is called by")),
        }
    }
}

/// `MPI_T_event_get_num`
pub fn t_event_get_num(r: &Rank) -> Result<i32> {
    r.check_tools()?;
    Ok(KINDS as i32)
}

/// `MPI_T_event_get_index`
pub fn t_event_get_index(r: &Rank, name: &str) -> Result<i32> {
    r.check_tools()?;
    named(&EVENTS, |kind| kind.name == name, || format!("event {name:?}"))
}

/// `MPI_T_event_get_info`
pub fn t_event_get_info(r: &Rank, index: i32) -> Result<&'static Kind> {
    r.check_tools()?;
    numbered(&EVENTS, index, "kinds of events")
}

/// `MPI_T_event_handle_alloc`: none is bound to an object.
pub fn t_event_handle_alloc(r: &Rank, index: i32, _object: Addr, _info: Info) -> Result<u32> {
    t_event_get_info(r, index)?;
    let registration = Registration { kind: index as usize, callbacks: [None; LEVELS.len()], dropped: None };
    let handle = r.with_tools(|open| {
        if open.charge.is_none() {
            open.charge = Some(r.account.charge(LONGEST * size_of::<Heard>(), Cost::Events)?);
        }
        open.handles.insert(Handle::Registration(registration)).map_err(|_| no_room("registrations of events"))
    })?;
    r.world().observe_more(r.me());
    Ok(handle)
}

/// `MPI_T_event_handle_free`: a function that is given hears when no more callbacks will come.
pub async fn t_event_handle_free(r: &Rank, handle: u32, data: Kept, function: FnPtr) -> Result<()> {
    r.with_tools(|open| {
        let kind = open.registration(handle)?.kind;
        open.listeners[kind].remove(&handle);
        open.handles.remove(handle);
        Ok(())
    })?;
    r.world().observe_less(1);
    listen(r)?;
    if function != FnPtr(0) {
        let arguments = r.arguments().handle(handle).int(MPI_T_CB_REQUIRE_NONE).kept(data);
        r.call_guest(function, arguments).await;
    }
    Ok(())
}

/// Has the rank hear what its callbacks want.
fn listen(r: &Rank) -> Result<()> {
    let wanted = r.with_tools(|open| Ok(open.wanted()))?;
    if let Some(ear) = r.world().ear(r.me()) {
        ear.want(wanted);
    }
    Ok(())
}

/// `MPI_T_event_register_callback`; a null function takes the one of that level back.
pub fn t_event_register_callback(r: &Rank, handle: u32, safety: i32, data: Kept, function: FnPtr) -> Result<()> {
    r.with_tools(|open| {
        let registration = open.registration(handle)?;
        registration.callbacks[level(safety)?] = (function != FnPtr(0)).then_some((function, data));
        let (kind, listens) = (registration.kind, registration.callback().is_some());
        if listens {
            open.listeners[kind].insert(handle);
        } else {
            open.listeners[kind].remove(&handle);
        }
        Ok(())
    })?;
    listen(r)
}

/// `MPI_T_event_set_dropped_handler`
pub fn t_event_set_dropped_handler(r: &Rank, handle: u32, function: FnPtr) -> Result<()> {
    r.with_tools(|open| {
        open.registration(handle)?.dropped = (function != FnPtr(0)).then_some(function);
        Ok(())
    })
}

/// `MPI_T_event_handle_get_info`: a registration has no hints.
pub fn t_event_handle_get_info(r: &Rank, handle: u32) -> Result<Info> {
    r.with_tools(|open| open.registration(handle).map(drop))?;
    r.add_info(&None)
}

/// `MPI_T_event_handle_set_info`
pub fn t_event_handle_set_info(r: &Rank, handle: u32, _info: Info) -> Result<()> {
    r.with_tools(|open| open.registration(handle).map(drop))
}

/// `MPI_T_event_callback_get_info`: a callback has no hints.
pub fn t_event_callback_get_info(r: &Rank, handle: u32, safety: i32) -> Result<Info> {
    t_event_callback_set_info(r, handle, safety, Info::NULL)?;
    r.add_info(&None)
}

/// `MPI_T_event_callback_set_info`
pub fn t_event_callback_set_info(r: &Rank, handle: u32, safety: i32, _info: Info) -> Result<()> {
    r.with_tools(|open| open.registration(handle).map(drop))?;
    level(safety).map(drop)
}

/// `MPI_T_event_read`
pub fn t_event_read(r: &Rank, instance: u32, element: i32, buffer: Addr) -> Result<()> {
    let elements = r.with_tools(|open| open.instance(instance))?.event.elements();
    let found = usize::try_from(element).ok().and_then(|element| elements.get(element));
    let error = || {
        let text = format!("element_index is {element}, and the event has {} elements", elements.len());
        Error::new(MPI_T_ERR_INVALID_INDEX, text)
    };
    r.memory().write_i64(buffer, *found.ok_or_else(error)?, "buffer")
}

/// `MPI_T_event_copy`
pub fn t_event_copy(r: &Rank, instance: u32, buffer: Addr) -> Result<()> {
    let elements = r.with_tools(|open| open.instance(instance))?.event.elements();
    r.memory().write_i64s(buffer, &elements, "buffer")
}

/// `MPI_T_event_get_timestamp`
pub fn t_event_get_timestamp(r: &Rank, instance: u32) -> Result<i64> {
    Ok(r.with_tools(|open| open.instance(instance))?.at)
}

/// `MPI_T_event_get_source`: there is one.
pub fn t_event_get_source(r: &Rank, instance: u32) -> Result<i32> {
    r.with_tools(|open| open.instance(instance)).map(|_| 0)
}

/// What is said of the only source: name, description, ticks in a second, and the last of them.
const SOURCE: (&str, &str, i64, i64) =
    ("rankine_clock", "the clock of the job, the same for all ranks", 1_000_000_000, i64::MAX);

/// `MPI_T_source_get_num`
pub fn t_source_get_num(r: &Rank) -> Result<i32> {
    r.check_tools()?;
    Ok(1)
}

/// `MPI_T_source_get_info`: name, description, ordering, ticks, and no hints.
pub fn t_source_get_info(r: &Rank, index: i32) -> Result<(&'static str, &'static str, i32, i64, i64, Info)> {
    r.check_tools()?;
    let (name, about, ticks, last) = *numbered(&[SOURCE], index, "sources")?;
    Ok((name, about, MPI_T_SOURCE_ORDERED, ticks, last, Info::NULL))
}

/// `MPI_T_source_get_timestamp`
pub fn t_source_get_timestamp(r: &Rank, index: i32) -> Result<i64> {
    t_source_get_info(r, index)?;
    Ok(r.world().nanoseconds())
}
