//! What WASI holds for a program, which its rank is charged for: descriptors while they are open, the names in a folder while
//! they are listed, subscriptions while they are waited for.

use std::any::Any;
use std::cmp::Reverse;
use std::sync::Arc;

use rankine_guest::{Account, Charge, Cost};
use wasmtime::Result;
use wasmtime::component::Resource;
use wasmtime_wasi::filesystem::{Descriptor, WasiFilesystemView};
use wasmtime_wasi::p1::WasiP1Ctx;
use wasmtime_wasi::p1::wasi_snapshot_preview1 as p1;
use wasmtime_wasi::p2::bindings::filesystem::types::HostDescriptor;
use wasmtime_wasi::{WasiCtxBuilder, WasiView};
use wiggle::GuestMemory;

use super::{INVALID, NO_MEMORY};

/// The number of an error, as WASI has them.
type Errno = i32;

/// Subscriptions of one poll.
const MOST_SUBSCRIPTIONS: i32 = 1 << 16;
/// What is taken for each of them until it ends, about.
const SUBSCRIPTION: usize = 256;
/// What an open file or folder takes, here and in the system, about.
const DESCRIPTOR: usize = 2 << 10;
/// What a name takes beside its letters: WASI has it in two lists, which are half empty at worst.
const NAME: usize = 256;

/// What was charged for each descriptor that the program has opened. It lies among the things that WASI keeps for it, so
/// threads have one for all as they have the descriptors.
#[derive(Default)]
struct Opened(Vec<Charge>);

/// Where it lies: it is the first thing that is put there.
const OPENED: u32 = 0;

/// Makes what WASI keeps for a program.
pub(crate) fn build(builder: &mut WasiCtxBuilder) -> Result<WasiP1Ctx> {
    let mut wasi = builder.build_p1();
    let place = wasi.ctx().table.push(Opened::default())?;
    debug_assert_eq!(place.rep(), OPENED);
    Ok(wasi)
}

fn opened_by(wasi: &mut WasiP1Ctx) -> Result<&mut Vec<Charge>> {
    let opened = wasi.ctx().table.get_mut(&Resource::<Opened>::new_borrow(OPENED))?;
    Ok(&mut opened.0)
}

fn charge(account: &Arc<Account>, bytes: usize, what: Cost) -> std::result::Result<Charge, Errno> {
    account.charge(bytes, what).map_err(|_| NO_MEMORY)
}

/// Charges what a poll takes, or says with which error it is refused.
pub(super) async fn room_for_poll(
    _wasi: &mut WasiP1Ctx,
    account: &Arc<Account>,
    subscriptions: i32,
) -> Result<std::result::Result<Charge, Errno>> {
    if !(0..=MOST_SUBSCRIPTIONS).contains(&subscriptions) {
        return Ok(Err(INVALID));
    }
    Ok(charge(account, subscriptions as usize * SUBSCRIPTION, Cost::Polls))
}

/// Charges one more descriptor, or says with which error it is refused.
pub(super) async fn room_to_open(
    _wasi: &mut WasiP1Ctx,
    account: &Arc<Account>,
    _folder: i32,
) -> Result<std::result::Result<Charge, Errno>> {
    Ok(charge(account, DESCRIPTOR, Cost::Descriptors))
}

/// Charges a list of all names in a folder, or says with which error it is refused.
pub(super) async fn room_to_list(
    wasi: &mut WasiP1Ctx,
    account: &Arc<Account>,
    folder: i32,
) -> Result<std::result::Result<Charge, Errno>> {
    let bytes = match resource_of(wasi, folder).await? {
        Some(folder) => bytes_of_names(wasi, folder),
        // The call says what is wrong with it.
        None => 0,
    };
    Ok(charge(account, bytes, Cost::Listings))
}

/// A descriptor was opened.
pub(super) fn opened(wasi: &mut WasiP1Ctx, charge: Charge) -> Result<()> {
    opened_by(wasi)?.push(charge);
    Ok(())
}

/// One was closed. Those that a program begins with were never charged, so at worst it has as many for nothing.
pub(super) fn closed(wasi: &mut WasiP1Ctx, (): (), _fd: i32) -> Result<()> {
    opened_by(wasi)?.pop();
    Ok(())
}

/// What `fd_filestat_get` writes.
#[repr(align(16))]
struct Filestat([u8; Filestat::SIZE]);

impl Filestat {
    const SIZE: usize = 64;
    /// Where a number begins by which files are told apart.
    const INODE: usize = 8;
}

/// What WASI itself calls the file or folder that a descriptor stands for: it is found by what both say of it, as only WASI
/// knows.
async fn resource_of(wasi: &mut WasiP1Ctx, fd: i32) -> Result<Option<u32>> {
    let mut stat = Filestat([0; Filestat::SIZE]);
    if p1::fd_filestat_get(wasi, &mut GuestMemory::Unshared(&mut stat.0), fd, 0).await? != 0 {
        return Ok(None);
    }
    let inode = stat.0[Filestat::INODE..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
    let is_folder = |entry: &mut (dyn Any + Send)| matches!(entry.downcast_ref(), Some(Descriptor::Dir(_)));
    let all = wasi.ctx().table.iter_mut();
    let mut folders: Vec<u32> = all.filter_map(|(number, entry)| is_folder(entry).then_some(number)).collect();
    // Most are listed soon after they were opened.
    folders.sort_unstable_by_key(|&number| Reverse(number));
    for number in folders {
        let hash = wasi.filesystem().metadata_hash(Resource::<Descriptor>::new_borrow(number)).await;
        if hash.is_ok_and(|hash| hash.lower == inode) {
            return Ok(Some(number));
        }
    }
    Ok(None)
}

/// What a list of all names in a folder takes.
#[cfg(unix)]
fn bytes_of_names(wasi: &mut WasiP1Ctx, folder: u32) -> usize {
    let Ok(Descriptor::Dir(folder)) = wasi.ctx().table.get(&Resource::<Descriptor>::new_borrow(folder)) else {
        return 0;
    };
    let Ok(names) = rustix::fs::Dir::read_from(&*folder.dir) else { return 0 };
    names.map_while(std::result::Result::ok).map(|name| NAME + name.file_name().to_bytes().len()).sum()
}

/// Elsewhere nobody counts them.
#[cfg(not(unix))]
fn bytes_of_names(_wasi: &mut WasiP1Ctx, _folder: u32) -> usize {
    NAME
}
