//! Making and freeing windows (MPI-5.0 §12.2), and what is known of them: group, name, hints, attributes.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use rankine_abi::{
    Addr, Comm, Errhandler, Group, Info, Kept, MPI_ERR_BUFFER, MPI_ERR_DISP, MPI_ERR_NO_MEM, MPI_ERR_RANK,
    MPI_ERR_RMA_FLAVOR, MPI_ERR_RMA_SHARED, MPI_ERR_RMA_SYNC, MPI_ERR_SIZE, MPI_MAX_OBJECT_NAME, MPI_PROC_NULL,
    MPI_WIN_BASE, MPI_WIN_CREATE_FLAVOR, MPI_WIN_DISP_UNIT, MPI_WIN_FLAVOR_ALLOCATE, MPI_WIN_FLAVOR_CREATE,
    MPI_WIN_FLAVOR_DYNAMIC, MPI_WIN_FLAVOR_SHARED, MPI_WIN_MODEL, MPI_WIN_SIZE, MPI_WIN_UNIFIED, Win,
};

use super::common::{Common, Member, Part};
use super::epochs::Epochs;
use super::far::Far;
use super::shared::{Layout, Mapped, Wanted};
use super::waits::Wait;
use crate::attr;
use crate::comm::{Communicator, Party, Tag};
use crate::error::{Error, Result};
use crate::group::Members;
use crate::info::{Hints, info_create, info_set};
use crate::quota::{Charge, Cost};
use crate::rank::Rank;

/// What a window's handle stands for, in one rank.
#[derive(Debug)]
pub struct Window {
    pub(super) common: Arc<Common>,
    /// The world ranks of its group.
    pub(super) group: Rc<Members>,
    /// This rank's number in it.
    pub(super) rank: usize,
    flavor: i32,
    base: Addr,
    size: u64,
    unit: i64,
    pub(super) epochs: Epochs,
    pub(super) far: Far,
    pub(super) name: RefCell<String>,
    info: RefCell<Hints>,
    memory: Held,
    /// Where its predefined attributes are in the guest's memory, once they were asked for.
    cell: Cell<Option<Addr>>,
    /// This rank is where all ranks of the window meet.
    meets: Cell<bool>,
    pub(super) charge: RefCell<Charge>,
}

impl Window {
    /// This rank, as the others see it.
    #[inline]
    pub(super) fn mine(&self) -> &Member {
        self.common.member(self.rank)
    }

    /// A rank of the window that is the target of something; `None` for `MPI_PROC_NULL`.
    #[inline]
    pub(super) fn target(&self, rank: i32) -> Result<Option<usize>> {
        match usize::try_from(rank) {
            Ok(target) if target < self.common.size() => Ok(Some(target)),
            _ if rank == MPI_PROC_NULL => Ok(None),
            _ => Err(self.no_rank(rank)),
        }
    }

    #[cold]
    fn no_rank(&self, rank: i32) -> Error {
        let last = self.common.size() - 1;
        Error::new(MPI_ERR_RANK, format!("the target is rank {rank}, but the window has ranks 0 to {last}"))
    }

    pub(super) fn is_dynamic(&self) -> bool {
        self.flavor == MPI_WIN_FLAVOR_DYNAMIC
    }

    /// Refuses to meet the other ranks inside of a call that waits for them.
    fn check_alone(&self) -> Result<()> {
        if !self.meets.get() {
            return Ok(());
        }
        let text = format!("this rank already waits for the others in another call on {}", self.title());
        Err(Error::new(MPI_ERR_RMA_SYNC, text))
    }

    /// A part as this rank's guest addresses it: nothing and nowhere, if it can't.
    fn query(&self, rank: i32) -> Result<(i64, i64, Addr)> {
        if self.is_dynamic() {
            return Err(Error::new(MPI_ERR_RMA_FLAVOR, "the window is a dynamic one, which has no memory of its own"));
        }
        let part = |rank: usize| self.common.member(rank).part();
        let address = |rank: usize| match &self.memory {
            Held::Shared(mapped) => Some(mapped.part(&self.common, rank, part(rank).size)),
            _ => (rank == self.rank).then_some(self.base),
        };
        // MPI_PROC_NULL asks for the first rank with any memory.
        let first = || (0..self.common.size()).find(|&rank| part(rank).size > 0 && address(rank).is_some());
        let found = self.target(rank)?.or_else(first);
        let known = found.and_then(|rank| address(rank).map(|base| (part(rank).size as i64, part(rank).unit, base)));
        Ok(known.unwrap_or((0, 0, Addr::NULL)))
    }
}

/// What came from the guest's allocator and goes with a window.
#[derive(Clone, Copy, Debug)]
enum Held {
    Nothing,
    Block(Addr),
    Shared(Mapped),
}

/// What a rank brings to a new window.
struct Recipe {
    flavor: i32,
    base: Addr,
    size: u64,
    unit: i64,
    hints: Hints,
    memory: Held,
}

/// What errors call them.
const WHAT: Cost = Cost::Windows;

fn positive(unit: i64) -> Result<i64> {
    match unit {
        1.. => Ok(unit),
        _ => Err(Error::new(MPI_ERR_DISP, format!("disp_unit is {unit}, but has to be 1 or more"))),
    }
}

fn bytes(size: i64) -> Result<u64> {
    u64::try_from(size).map_err(|_| Error::new(MPI_ERR_SIZE, format!("size is {size}, which is negative")))
}

impl Rank {
    /// What the ranks of a communicator will share, made by the first of them. Those of a window whose memory is shared
    /// say how long their parts are, and whether these lie apart.
    async fn agree_on_window(
        &self,
        comm: &Communicator,
        flavor: i32,
        shared: Option<(Wanted, bool)>,
    ) -> Result<Arc<Common>> {
        if !self.world().are_here(&comm.group) {
            return self.agree_over_nodes(comm, flavor).await;
        }
        let party = Party::all(self, comm, Tag::WINDOW);
        let mut layout = None;
        if let Some((Wanted { size, is_charged }, apart)) = shared {
            let parts = party.gather([size as i32, (size >> 32) as i32, i32::from(is_charged)]).await?;
            if party.is_first() {
                let wanted = |[low, high, charged]: &[i32; 3]| Wanted {
                    size: u64::from(*low as u32) | (*high as u64) << 32,
                    is_charged: *charged != 0,
                };
                let parts: Vec<Wanted> = parts.iter().map(wanted).collect();
                layout = Some(Layout::new(&parts, apart, self.world().options.share_pages.as_ref()));
            }
        }
        let mut words = [0];
        if party.is_first() {
            let common = Arc::new(Common::new(&comm.group, layout));
            words = [self.world().windows.leave(common, comm.group.len()) as i32];
        }
        let [ticket] = party.broadcast(words).await?;
        self.world().windows.fetch(ticket as u32)
    }

    /// What the ranks of a communicator that are on this node will share, if others are elsewhere. All nodes have it when it is
    /// used.
    async fn agree_over_nodes(&self, comm: &Communicator, flavor: i32) -> Result<Arc<Common>> {
        if flavor == MPI_WIN_FLAVOR_SHARED {
            let text = "ranks of several nodes share no memory; MPI_Comm_split_type has those of one";
            return Err(Error::new(MPI_ERR_RMA_SHARED, text));
        }
        let party = Party::all(self, comm, Tag::WINDOW);
        let number = if party.is_first() { self.world().number_window() } else { 0 };
        let [low, high] = party.broadcast([number as i32, (number >> 32) as i32]).await?;
        let number = u64::from(low as u32) | u64::from(high as u32) << 32;
        let common = self.world().window_over_nodes(number, &comm.group, flavor == MPI_WIN_FLAVOR_DYNAMIC)?;
        party.gather([0]).await?;
        party.broadcast([0]).await?;
        Ok(common)
    }

    /// Makes a window together with all ranks of a communicator: in every one of them or in none. A rank that lacks
    /// something takes part all the same, so that the others hear of it.
    async fn open_window(&self, comm: &Communicator, common: Arc<Common>, recipe: Result<Recipe>) -> Result<Win> {
        let handle = recipe.and_then(|recipe| {
            let charge = self.account.charge(size_of::<Member>() + 2 * size_of::<Window>(), WHAT)?;
            let win = self.windows.table.borrow_mut().add(None, WHAT).map(Win)?;
            Ok((win, Rc::new(Window::new(recipe, common.clone(), comm, charge))))
        });
        let (win, window) = match handle {
            Ok((win, window)) => (win, window),
            Err(error) => {
                // The others wait for this rank, which need not wait for them.
                common.fail(comm.rank as usize);
                common.arrive(self.world(), comm.rank as usize);
                common.leave(self.world());
                return Err(error);
            }
        };
        let base = if window.is_dynamic() { Addr::NULL } else { window.base };
        let base = self.memory().base().wrapping_add(base.0 as usize);
        common.set_part(window.rank, Part { base, size: window.size, unit: window.unit });
        self.meet(&window).await?;
        if let Some(rank) = common.failed() {
            self.windows.table.borrow_mut().remove(win.0);
            common.leave(self.world());
            let class = if window.flavor == MPI_WIN_FLAVOR_SHARED { MPI_ERR_RMA_SHARED } else { MPI_ERR_NO_MEM };
            return Err(Error::new(class, format!("rank {rank} could not make its part of the window")));
        }
        if let Some(slot) = self.windows.table.borrow_mut().get_mut(win.0) {
            *slot = Some(window);
        }
        self.adopt_handler(win, Errhandler::ERRORS_ARE_FATAL);
        Ok(win)
    }

    /// Waits for all ranks of a window to come here.
    pub(super) async fn meet(&self, window: &Rc<Window>) -> Result<()> {
        window.check_alone()?;
        window.meets.set(true);
        let meeting = window.common.arrive(self.world(), window.rank);
        self.wait_in(window, Wait::Meeting, || window.common.have_met(meeting)).await;
        window.meets.set(false);
        Ok(())
    }

    /// Gives memory back to the guest's allocator.
    async fn give_back(&self, common: &Common, memory: Held) {
        match memory {
            Held::Nothing => {}
            Held::Block(address) => self.free_block(address).await,
            Held::Shared(mapped) => self.unmap_shared(common, mapped).await,
        }
    }
}

impl Window {
    fn new(recipe: Recipe, common: Arc<Common>, comm: &Communicator, charge: Charge) -> Window {
        let Recipe { flavor, base, size, unit, hints, memory } = recipe;
        Window {
            common,
            group: comm.group.clone(),
            rank: comm.rank as usize,
            flavor,
            base,
            size,
            unit,
            epochs: Epochs::default(),
            far: Far::default(),
            name: RefCell::default(),
            info: RefCell::new(hints),
            memory,
            cell: Cell::new(None),
            meets: Cell::new(false),
            charge: RefCell::new(charge),
        }
    }
}

#[cfg(all(test, loom))]
impl Window {
    /// A rank's side of a window of all ranks, without memory.
    pub(super) fn of_model(r: &Rank, common: Arc<Common>) -> Window {
        let (flavor, memory) = (MPI_WIN_FLAVOR_CREATE, Held::Nothing);
        let recipe = Recipe { flavor, base: Addr::NULL, size: 0, unit: 1, hints: Hints::default(), memory };
        Window::new(recipe, common, &r.world_comm, r.account.charge(0, WHAT).unwrap())
    }
}

/// `MPI_Win_create`
pub async fn win_create(r: &Rank, base: Addr, size: i64, disp_unit: i64, info: Info, comm: Comm) -> Result<Win> {
    let communicator = r.intracommunicator(comm)?;
    let (size, unit) = (bytes(size)?, positive(disp_unit)?);
    if r.memory().buffer(base, size).is_none() {
        return Err(r.memory().outside(MPI_ERR_BUFFER, base.0.into(), size.into(), "the window"));
    }
    let hints = r.hints(info)?;
    let recipe = Recipe { flavor: MPI_WIN_FLAVOR_CREATE, base, size, unit, hints, memory: Held::Nothing };
    let common = r.agree_on_window(&communicator, recipe.flavor, None).await?;
    r.open_window(&communicator, common, Ok(recipe)).await
}

/// `MPI_Win_allocate`: memory of the guest's own allocator.
pub async fn win_allocate(r: &Rank, size: i64, disp_unit: i64, info: Info, comm: Comm) -> Result<(Addr, Win)> {
    allocate(r, MPI_WIN_FLAVOR_ALLOCATE, size, disp_unit, info, comm).await
}

async fn allocate(r: &Rank, flavor: i32, size: i64, unit: i64, info: Info, comm: Comm) -> Result<(Addr, Win)> {
    let communicator = r.intracommunicator(comm)?;
    let (size, unit, hints) = (bytes(size)?, positive(unit)?, r.hints(info)?);
    let base = allocated(r, size).await;
    let common = r.agree_on_window(&communicator, flavor, None).await?;
    let made = base.map(|base| (base, Held::Block(base)));
    finish(r, &communicator, common, made, |base, memory| Recipe { flavor, base, size, unit, hints, memory }).await
}

/// Makes a window of memory that was made for it, which goes with it, or at once if there is no window.
async fn finish(
    r: &Rank,
    comm: &Communicator,
    common: Arc<Common>,
    made: Result<(Addr, Held)>,
    recipe: impl FnOnce(Addr, Held) -> Recipe,
) -> Result<(Addr, Win)> {
    let (base, memory) = made.as_ref().map_or((Addr::NULL, Held::Nothing), |&made| made);
    match r.open_window(comm, common.clone(), made.map(|(base, memory)| recipe(base, memory))).await {
        Ok(win) => Ok((base, win)),
        Err(error) => {
            r.give_back(&common, memory).await;
            Err(error)
        }
    }
}

/// Memory for a window from the guest's allocator, whose word is not taken for it.
async fn allocated(r: &Rank, size: u64) -> Result<Addr> {
    let address = r.allocated(size.max(1)).await;
    // One byte where none was asked for.
    match r.memory().at(address, size.max(1)) {
        Some(_) if !address.is_null() => r.windows.blocks.claim(address, size.max(1)).map(|()| address),
        _ => Err(Error::new(MPI_ERR_NO_MEM, format!("the guest's allocator has no {size} bytes left for a window"))),
    }
}

/// `MPI_Win_allocate_shared`: a rank alone shares its own memory with nobody.
pub async fn win_allocate_shared(r: &Rank, size: i64, disp_unit: i64, info: Info, comm: Comm) -> Result<(Addr, Win)> {
    let communicator = r.intracommunicator(comm)?;
    if communicator.size() == 1 {
        return allocate(r, MPI_WIN_FLAVOR_SHARED, size, disp_unit, info, comm).await;
    }
    let (size, unit, hints) = (bytes(size)?, positive(disp_unit)?, r.hints(info)?);
    let apart = hints.as_ref().is_some_and(|hints| hints.get("alloc_shared_noncontig") == Some("true"));
    let charge = r.charge_shared(size);
    let wanted = Wanted { size, is_charged: charge.is_ok() };
    let common = r.agree_on_window(&communicator, MPI_WIN_FLAVOR_SHARED, Some((wanted, apart))).await?;
    let mapped = match (charge, common.layout()) {
        (Err(error), _) => Err(error),
        (Ok(charge), layout) => {
            if let Some(layout) = layout {
                layout.keep(charge);
            }
            r.map_shared(&common).await
        }
    };
    let made = mapped.map(|mapped| (mapped.part(&common, communicator.rank as usize, size), Held::Shared(mapped)));
    let flavor = MPI_WIN_FLAVOR_SHARED;
    finish(r, &communicator, common, made, |base, memory| Recipe { flavor, base, size, unit, hints, memory }).await
}

/// `MPI_Win_create_dynamic`: displacements are the target's own addresses.
pub async fn win_create_dynamic(r: &Rank, info: Info, comm: Comm) -> Result<Win> {
    let communicator = r.intracommunicator(comm)?;
    let (flavor, hints) = (MPI_WIN_FLAVOR_DYNAMIC, r.hints(info)?);
    let recipe = Recipe { flavor, base: Addr::NULL, size: 0, unit: 1, hints, memory: Held::Nothing };
    let common = r.agree_on_window(&communicator, flavor, None).await?;
    r.open_window(&communicator, common, Ok(recipe)).await
}

/// `MPI_Win_shared_query`: size, displacement unit and address of a part.
pub fn win_shared_query(r: &Rank, win: Win, rank: i32) -> Result<(i64, i64, Addr)> {
    r.window(win)?.query(rank)
}

/// `MPI_Win_free`: when all ranks have ended their accesses. From then on none of them knows the window, not even in a
/// callback that runs while it waits here for the others.
pub async fn win_free(r: &Rank, win: Win) -> Result<Win> {
    let for_its_handler = |error: Error| error.on(win);
    r.window(win)?.check_idle().map_err(for_its_handler)?;
    attr::delete_all(r, win.into()).await.map_err(for_its_handler)?;
    let window = r.window(win)?;
    window.check_idle().and_then(|()| window.check_alone()).map_err(for_its_handler)?;
    r.windows.table.borrow_mut().remove(win.0);
    r.forget_handler(win);
    r.meet(&window).await?;
    window.common.leave(r.world());
    if let Some(cell) = window.cell.take() {
        r.give_cell(cell);
    }
    r.give_back(&window.common, window.memory).await;
    Ok(Win::NULL)
}

/// `MPI_Win_get_group`
pub fn win_get_group(r: &Rank, win: Win) -> Result<Group> {
    r.add_group(r.window(win)?.group.clone())
}

/// `MPI_Win_set_name`. What does not fit is cut off.
pub fn win_set_name(r: &Rank, win: Win, name: &str) -> Result<()> {
    let end = name.floor_char_boundary(MPI_MAX_OBJECT_NAME as usize - 1);
    *r.window(win)?.name.borrow_mut() = name[..end].to_owned();
    Ok(())
}

/// `MPI_Win_get_name`
pub fn win_get_name(r: &Rank, win: Win) -> Result<String> {
    if win == Win::NULL {
        return Ok("MPI_WIN_NULL".into());
    }
    Ok(r.window(win)?.name.borrow().clone())
}

/// `MPI_Win_set_info`
pub fn win_set_info(r: &Rank, win: Win, info: Info) -> Result<()> {
    let (window, new) = (r.window(win)?, Some(r.info(info)?));
    let hints = r.more_hints(&window.info.borrow(), &new)?;
    *window.info.borrow_mut() = hints;
    Ok(())
}

/// The hints that windows know, and what is true without them (§12.2.1 to §12.2.3).
const HINTS: [(&str, &str); 6] = [
    ("no_locks", "false"),
    ("accumulate_ordering", "rar,raw,war,waw"),
    ("accumulate_ops", "same_op_no_op"),
    ("same_size", "false"),
    ("same_disp_unit", "false"),
    ("alloc_shared_noncontig", "false"),
];

/// `MPI_Win_get_info`
pub fn win_get_info(r: &Rank, win: Win) -> Result<Info> {
    let hints = r.window(win)?.info.borrow().clone();
    let info = info_create(r)?;
    for (key, default) in HINTS {
        let value = hints.as_ref().and_then(|hints| hints.get(key)).unwrap_or(default);
        info_set(r, info, key, value)?;
    }
    Ok(info)
}

/// `MPI_Win_get_attr`: the base is the address itself, the other predefined attributes are where their values are
/// (§12.2.6).
pub async fn win_get_attr(r: &Rank, win: Win, keyval: i32) -> Result<(Kept, bool)> {
    let window = r.window(win)?;
    // The size is an `MPI_Aint`, the others are ints behind it.
    let ints = r.memory().word();
    let position = match keyval {
        MPI_WIN_BASE => return Ok((Kept(window.base.0), true)),
        MPI_WIN_SIZE => 0,
        MPI_WIN_DISP_UNIT => ints,
        MPI_WIN_CREATE_FLAVOR => ints + 4,
        MPI_WIN_MODEL => ints + 8,
        _ => return attr::get_attr(r, win, keyval),
    };
    let cell = match window.cell.get() {
        Some(cell) => cell,
        None => {
            let cell = r.take_cell().await?;
            window.cell.set(Some(cell));
            cell
        }
    };
    const WHAT: &str = "the attributes of a window";
    r.memory().write_aints(cell, &[window.size as i64], WHAT)?;
    let values = [window.unit as i32, window.flavor, MPI_WIN_UNIFIED];
    r.memory().write_words(cell.plus(ints), values, WHAT)?;
    Ok((Kept(cell.plus(position).0), true))
}
