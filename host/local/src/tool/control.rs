//! Control variables (§15.3.6): settings of a rank, and of the whole job.

use std::cell::Cell;

use rankine_abi::{
    Addr, Datatype, MPI_T_BIND_NO_OBJECT, MPI_T_ERR_CVAR_SET_NEVER, MPI_T_ERR_INVALID, MPI_T_SCOPE_ALL_EQ,
    MPI_T_SCOPE_CONSTANT, MPI_T_SCOPE_LOCAL, MPI_T_VERBOSITY_TUNER_BASIC, MPI_T_VERBOSITY_USER_BASIC,
};

use super::{Handle, SWITCH, named, no_handle, no_room, numbered};
use crate::error::{Error, Result};
use crate::mailbox::ring::EAGER;
use crate::rank::Rank;

/// A value's type in the guest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Width {
    /// `MPI_INT`
    Int,
    /// `MPI_INT`, 0 or 1: [`SWITCH`].
    Switch,
    /// `MPI_UNSIGNED_LONG_LONG`
    Long,
}

/// A control variable.
pub struct Control {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub about: &'static str,
    verbosity: i32,
    /// Whom a change concerns.
    scope: i32,
    width: Width,
    read: fn(&Rank) -> u64,
    /// Changes it; false if the value is none that it can have.
    write: Option<fn(&Rank, u64) -> bool>,
}

/// Looks that a rank may take at most before it parks: some seconds.
const MOST_POLLS: u64 = 1 << 20;
/// Bytes of a send that may be buffered at most. The host holds them.
const MOST_BUFFERED: u64 = 1 << 20;

/// Changes a setting to a value that it can have.
fn put<T>(setting: &Cell<T>, value: T) -> bool {
    setting.set(value);
    true
}

/// All control variables, by their numbers.
pub static CONTROLS: [Control; 7] = [
    Control {
        name: "rankine_spin_polls",
        about: "how often a rank with a core of its own looks for what it waits for before it sleeps",
        verbosity: MPI_T_VERBOSITY_TUNER_BASIC,
        scope: MPI_T_SCOPE_LOCAL,
        width: Width::Int,
        read: |r| r.tools.spin_polls.get().into(),
        write: Some(|r, value| value <= MOST_POLLS && put(&r.tools.spin_polls, value as u32)),
    },
    Control {
        name: "rankine_buffer_limit",
        about: "bytes up to which a standard send is buffered when its rank would otherwise sleep",
        verbosity: MPI_T_VERBOSITY_TUNER_BASIC,
        scope: MPI_T_SCOPE_LOCAL,
        width: Width::Long,
        read: |r| r.tools.buffer_limit.get() as u64,
        write: Some(|r, value| value <= MOST_BUFFERED && put(&r.tools.buffer_limit, value as usize)),
    },
    Control {
        name: "rankine_joint_copy",
        about: "bytes from which on a sender that waits helps to copy its message",
        verbosity: MPI_T_VERBOSITY_TUNER_BASIC,
        scope: MPI_T_SCOPE_ALL_EQ,
        width: Width::Long,
        read: |r| r.world().joint_copy() as u64,
        write: Some(|r, value| {
            r.world().set_joint_copy(usize::try_from(value).unwrap_or(usize::MAX));
            true
        }),
    },
    Control {
        name: "rankine_deadlock_check",
        about: "whether a job ends whose ranks all wait",
        verbosity: MPI_T_VERBOSITY_USER_BASIC,
        scope: MPI_T_SCOPE_ALL_EQ,
        width: Width::Switch,
        read: |r| r.world().checks_deadlock().into(),
        write: Some(|r, value| {
            r.world().check_deadlock(value != 0);
            true
        }),
    },
    Control {
        name: "rankine_eager_limit",
        about: "bytes up to which a message travels in the envelope that announces it",
        verbosity: MPI_T_VERBOSITY_TUNER_BASIC,
        scope: MPI_T_SCOPE_LOCAL,
        width: Width::Long,
        read: |r| r.tools.eager_limit.get() as u64,
        write: Some(|r, value| value <= EAGER as u64 && put(&r.tools.eager_limit, value as usize)),
    },
    Control {
        name: "rankine_memory_limit",
        about: "bytes of memory that this rank may have, its own and what the host holds for it (--memory-limit)",
        verbosity: MPI_T_VERBOSITY_USER_BASIC,
        scope: MPI_T_SCOPE_CONSTANT,
        width: Width::Long,
        read: |r| r.account.limit(),
        write: None,
    },
    Control {
        name: "rankine_max_ranks",
        about: "ranks that the job may have, those that programs start included (--max-ranks)",
        verbosity: MPI_T_VERBOSITY_USER_BASIC,
        scope: MPI_T_SCOPE_CONSTANT,
        width: Width::Long,
        read: |r| r.world().most_in_all() as u64,
        write: None,
    },
];

/// `MPI_T_cvar_get_num`
pub fn t_cvar_get_num(r: &Rank) -> Result<i32> {
    r.check_tools()?;
    Ok(CONTROLS.len() as i32)
}

/// `MPI_T_cvar_get_index`
pub fn t_cvar_get_index(r: &Rank, name: &str) -> Result<i32> {
    r.check_tools()?;
    named(&CONTROLS, |control| control.name == name, || format!("control variable {name:?}"))
}

impl Control {
    /// Whether it can be changed while the job runs.
    pub fn is_writable(&self) -> bool {
        self.write.is_some()
    }
}

/// `MPI_T_cvar_get_info`: name, verbosity, datatype, enumeration, description, binding and scope.
pub fn t_cvar_get_info(r: &Rank, index: i32) -> Result<(&'static str, i32, Datatype, u32, &'static str, i32, i32)> {
    r.check_tools()?;
    let &Control { name, about, verbosity, scope, width, .. } = numbered(&CONTROLS, index, "control variables")?;
    let (datatype, values) = match width {
        Width::Int => (Datatype::INT, 0),
        Width::Switch => (Datatype::INT, SWITCH),
        Width::Long => (Datatype::UNSIGNED_LONG_LONG, 0),
    };
    Ok((name, verbosity, datatype, values, about, MPI_T_BIND_NO_OBJECT, scope))
}

/// `MPI_T_cvar_handle_alloc`: none is bound to an object, and each is one value.
pub fn t_cvar_handle_alloc(r: &Rank, index: i32, _object: Addr) -> Result<(u32, i32)> {
    r.check_tools()?;
    numbered(&CONTROLS, index, "control variables")?;
    r.with_tools(|open| {
        let made = open.handles.insert(Handle::Control(index as usize));
        Ok((made.map_err(|_| no_room("handles of control variables"))?, 1))
    })
}

/// `MPI_T_cvar_handle_free`
pub fn t_cvar_handle_free(r: &Rank, handle: u32) -> Result<u32> {
    control(r, handle)?;
    r.with_tools(|open| {
        open.handles.remove(handle);
        Ok(0)
    })
}

fn control(r: &Rank, handle: u32) -> Result<&'static Control> {
    r.with_tools(|open| match open.handles.get(handle) {
        Some(Handle::Control(number)) => Ok(&CONTROLS[*number]),
        _ => Err(no_handle(handle, "a control variable")),
    })
}

/// `MPI_T_cvar_read`
pub fn t_cvar_read(r: &Rank, handle: u32, buffer: Addr) -> Result<()> {
    let control = control(r, handle)?;
    let value = (control.read)(r);
    match control.width {
        Width::Long => r.memory().write_i64(buffer, value as i64, "buf"),
        Width::Int | Width::Switch => r.memory().write_i32(buffer, value as i32, "buf"),
    }
}

/// `MPI_T_cvar_write`
pub fn t_cvar_write(r: &Rank, handle: u32, buffer: Addr) -> Result<()> {
    let control = control(r, handle)?;
    let Some(write) = control.write else {
        let text = format!("{} can't be changed while the job runs", control.name);
        return Err(Error::new(MPI_T_ERR_CVAR_SET_NEVER, text));
    };
    let value = match control.width {
        Width::Long => i128::from(r.memory().read_i64(buffer, "buf")? as u64),
        Width::Int | Width::Switch => i128::from(r.memory().read_i32(buffer, "buf")?),
    };
    let fits = |value: u64| (control.width != Width::Switch || value <= 1) && write(r, value);
    if u64::try_from(value).is_ok_and(fits) {
        return Ok(());
    }
    Err(Error::new(MPI_T_ERR_INVALID, format!("{value} is not a value of {}", control.name)))
}
