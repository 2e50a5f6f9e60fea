//! Views (MPI-5.0 §14.3): which bytes of a file a rank sees, and in which representation.

use std::rc::Rc;
use std::sync::Arc;

use rankine_abi::{
    Datatype, File, Info, MPI_DISPLACEMENT_CURRENT, MPI_ERR_ARG, MPI_ERR_TYPE, MPI_ERR_UNSUPPORTED_OPERATION,
    MPI_MODE_SEQUENTIAL,
};

use super::Opened;
use super::datarep::Representation;
use super::region::{FURTHEST, Region, too_far};
use crate::datatype::{Ascent, Type};
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::rank::Rank;

/// The view that a rank has of a file.
#[derive(Debug)]
pub(super) struct View {
    disp: u64,
    etype: Rc<Type>,
    filetype: Rc<Type>,
    pub(super) representation: Representation,
    /// Bytes of an elementary type in the file.
    unit: u64,
    /// What is seen again and again, `extent` bytes apart.
    tile: Arc<Layout>,
    extent: i64,
    /// The order of its bytes, within a tile and from tile to tile.
    ascent: Ascent,
    tiles_ascend: bool,
}

impl View {
    /// All bytes of the file.
    pub(super) fn whole(r: &Rank) -> Result<View> {
        let byte = r.any_datatype(Datatype::BYTE)?;
        View::new(0, byte.clone(), byte, Representation::Native)
    }

    fn new(disp: u64, etype: Rc<Type>, filetype: Rc<Type>, representation: Representation) -> Result<View> {
        let (unit, shown) = (representation.in_file(&etype)?.size(), representation.in_file(&filetype)?);
        let wrong = |text: String| Err(Error::new(MPI_ERR_ARG, text));
        if unit == 0 {
            return wrong("etype has no bytes".into());
        }
        if !shown.size().is_multiple_of(unit) {
            return wrong(format!(
                "filetype has {} bytes, which are not a whole number of etypes of {unit}",
                shown.size()
            ));
        }
        let (tile, extent) = (shown.layout().clone(), shown.extent());
        let ascent = tile.ascent();
        if tile.lo() < 0 || ascent == Ascent::Falling || tile.size() > 0 && extent < 0 {
            return wrong("the displacements of filetype have to begin at 0 or above and must not decrease".into());
        }
        let tiles_ascend =
            ascent == Ascent::Strict && i128::from(tile.lo()) + i128::from(extent) >= i128::from(tile.hi());
        Ok(View { disp, etype, filetype, representation, unit, tile, extent, ascent, tiles_ascend })
    }

    /// Bytes of an elementary type in the file.
    pub(super) fn unit(&self) -> u64 {
        self.unit
    }

    /// `bytes` bytes of the file from an offset in elementary types on.
    pub(super) fn region(&self, offset: i64, bytes: u64) -> Result<Region> {
        if bytes == 0 {
            return Ok(Region::EMPTY);
        }
        if self.tile.size() == 0 {
            return Err(Error::new(MPI_ERR_ARG, "the file type of the view has no bytes"));
        }
        let (tile, skip) = self.tile_at(offset);
        let last = (skip + u128::from(bytes) - 1) / u128::from(self.tile.size());
        let base = i128::from(self.disp) + tile as i128 * i128::from(self.extent);
        let base = u64::try_from(base).ok().filter(|&base| base <= FURTHEST).ok_or_else(|| too_far(base))?;
        let count = u64::try_from(last + 1).map_err(|_| too_far(i128::MAX))?;
        let layout = self.tile.repeated(count, self.extent)?;
        let ascends = if count > 1 { self.tiles_ascend } else { self.ascent == Ascent::Strict };
        Region::new(base, layout, skip as u64, bytes, ascends)
    }

    /// The tile that an offset lies in, and how many bytes of it lie before.
    fn tile_at(&self, offset: i64) -> (u128, u128) {
        let index = offset.max(0) as u128 * u128::from(self.unit);
        (index / u128::from(self.tile.size()), index % u128::from(self.tile.size()))
    }

    /// The byte of the file at which an offset lies.
    pub(super) fn byte_offset(&self, offset: i64) -> Result<i64> {
        if self.tile.size() == 0 {
            return Ok(self.disp as i64);
        }
        let (tile, skip) = self.tile_at(offset);
        let within = i128::from(self.tile.offset_of(skip as u64));
        let at = (tile as i128).checked_mul(self.extent.into()).map(|at| at + within + i128::from(self.disp));
        match at {
            Some(at) if at <= i128::from(FURTHEST) => Ok(at as i64),
            at => Err(too_far(at.unwrap_or(i128::MAX))),
        }
    }

    /// The first offset of which no byte lies in a file of so many bytes.
    pub(super) fn end(&self, size: u64) -> i64 {
        let Some(beyond) = size.checked_sub(self.disp).filter(|_| self.tile.size() > 0 && self.extent > 0) else {
            return 0;
        };
        let (extent, beyond) = (self.extent as u64, beyond.min(FURTHEST));
        let (tiles, rest) = (beyond / extent, beyond % extent);
        let rest =
            if self.ascent == Ascent::Strict { self.tile.before(rest as i64) } else { rest.min(self.tile.size()) };
        let bytes = u128::from(tiles) * u128::from(self.tile.size()) + u128::from(rest);
        i64::try_from(bytes.div_ceil(u128::from(self.unit))).unwrap_or(i64::MAX)
    }

    /// Refuses to write through a view whose bytes overlap.
    pub(super) fn check_writable(&self) -> Result<()> {
        if self.ascent == Ascent::Strict {
            return Ok(());
        }
        Err(Error::new(MPI_ERR_TYPE, "the file type has bytes that overlap, and the file is not open for reading only"))
    }
}

/// `MPI_File_set_view`
pub async fn file_set_view(
    r: &Rank,
    fh: File,
    disp: i64,
    etype: Datatype,
    filetype: Datatype,
    datarep: &str,
    info: Info,
) -> Result<()> {
    let file = r.file(fh)?;
    let mine = async {
        let (etype, filetype, hints) = (r.datatype(etype)?, r.datatype(filetype)?, r.hints(info)?);
        let disp = displacement(&file, disp)?;
        let representation = r.representation(datarep).await?;
        let view = View::new(disp, etype, filetype, representation)?;
        if !file.is_read_only() {
            view.check_writable()?;
        }
        Ok((view, r.more_hints(&file.info.borrow(), &hints)?))
    };
    let mine = mine.await;
    let says = mine.as_ref().map(|(view, _)| r.world().fingerprint((view.unit, datarep))).map_err(Error::clone);
    file.together(r, says, || {
        file.common.set_pointer(0);
        Ok(())
    })
    .await?;
    let (view, hints) = mine?;
    *file.view.borrow_mut() = Rc::new(view);
    *file.info.borrow_mut() = hints;
    file.position.set(0);
    Ok(())
}

/// Where a view begins.
fn displacement(file: &Opened, disp: i64) -> Result<u64> {
    if file.mode & MPI_MODE_SEQUENTIAL != 0 {
        if disp != MPI_DISPLACEMENT_CURRENT {
            let text = "disp has to be MPI_DISPLACEMENT_CURRENT in a file that is open with MPI_MODE_SEQUENTIAL";
            return Err(Error::new(MPI_ERR_UNSUPPORTED_OPERATION, text));
        }
        return Ok(file.view().byte_offset(file.common.pointer()?)? as u64);
    }
    match u64::try_from(disp) {
        Ok(disp) if disp < FURTHEST => Ok(disp),
        Ok(_) => Err(Error::new(MPI_ERR_ARG, format!("disp is {disp}, which is beyond any possible file"))),
        Err(_) if disp == MPI_DISPLACEMENT_CURRENT => {
            let text = "disp is MPI_DISPLACEMENT_CURRENT, but the file is not open with MPI_MODE_SEQUENTIAL";
            Err(Error::new(MPI_ERR_ARG, text))
        }
        Err(_) => Err(Error::new(MPI_ERR_ARG, format!("disp is {disp}, which is negative"))),
    }
}

/// `MPI_File_get_view`
pub fn file_get_view(r: &Rank, fh: File) -> Result<(i64, Datatype, Datatype, String)> {
    let view = r.file(fh)?.view();
    let name = view.representation.name().to_owned();
    Ok((view.disp as i64, r.handle_for(&view.etype)?, r.handle_for(&view.filetype)?, name))
}

/// `MPI_File_get_byte_offset`
pub fn file_get_byte_offset(r: &Rank, fh: File, offset: i64) -> Result<i64> {
    let file = r.file(fh)?;
    file.check_random()?;
    if offset < 0 {
        return Err(Error::new(MPI_ERR_ARG, format!("offset is {offset}, which is negative")));
    }
    file.view().byte_offset(offset)
}

/// `MPI_File_get_type_extent`
pub fn file_get_type_extent(r: &Rank, fh: File, datatype: Datatype) -> Result<i64> {
    let view = r.file(fh)?.view();
    Ok(view.representation.in_file(&r.any_datatype(datatype)?)?.extent())
}
