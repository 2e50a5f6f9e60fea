//! What one rank reads and writes (MPI-5.0 §14.4): at offsets, at its own pointer, at the shared one; at once or in the
//! background.

use std::rc::Rc;

use rankine_abi::{
    Addr, Comm, Datatype, File, MPI_ERR_ACCESS, MPI_ERR_ARG, MPI_ERR_COUNT, MPI_MODE_WRONLY, Request, Status,
};

use super::Opened;
use super::carry::{Direction, carry_alone};
use super::common::beyond;
use super::convert::Form;
use super::region::{Part, Region};
use super::view::View;
use crate::datatype::Signature;
use crate::error::{Error, Result};
use crate::events::Event;
use crate::rank::Rank;
use crate::span::Span;

/// A buffer as the program names it: address, count, datatype.
pub(super) type Buffer = (Addr, i64, Datatype);

/// Where in the file an access begins.
#[derive(Clone, Copy, Debug)]
pub enum Place {
    /// At an offset in elementary types of the view.
    At(i64),
    /// At the rank's own pointer, which moves on.
    Own,
    /// At the shared pointer, which moves on.
    Shared,
}

/// What is read or written, all of it proved.
pub(super) struct Access {
    pub(super) file: Rc<Opened>,
    pub(super) view: Rc<View>,
    pub(super) direction: Direction,
    pub(super) buffer: Buffer,
    pub(super) span: Span<'static>,
    /// The basic elements of the buffer, if they are converted.
    pub(super) elements: Signature,
    /// Bytes in the file.
    pub(super) bytes: u64,
    /// What is accessed in elementary types of the view.
    pub(super) etypes: i64,
}

impl Opened {
    fn check_direction(&self, direction: Direction) -> Result<()> {
        match direction {
            Direction::Write => self.check_writable(),
            Direction::Read if self.mode & MPI_MODE_WRONLY != 0 => {
                Err(Error::new(MPI_ERR_ACCESS, format!("{} is open for writing only", self.title())))
            }
            Direction::Read => Ok(()),
        }
    }

    /// Where an access begins, in elementary types; a pointer moves on.
    pub(super) fn place(&self, place: Place, etypes: i64) -> Result<i64> {
        match place {
            Place::At(offset) => {
                self.check_random()?;
                match offset {
                    0.. => Ok(offset),
                    _ => Err(Error::new(MPI_ERR_ARG, format!("offset is {offset}, which is negative"))),
                }
            }
            Place::Own => {
                self.check_random()?;
                let position = self.position.get();
                self.position.set(beyond(position, etypes)?);
                Ok(position)
            }
            Place::Shared => self.common.advance(etypes),
        }
    }
}

/// What is converted takes at most so many times the bytes of the memory.
const WIDENING: u64 = 16;

impl Access {
    pub(super) fn new(r: &Rank, file: &Rc<Opened>, direction: Direction, buffer: Buffer) -> Result<Access> {
        let view = file.view();
        let (address, count, datatype) = buffer;
        let span = r.span(address, count, datatype)?;
        file.check_direction(direction)?;
        let (mut bytes, mut elements) = (span.bytes() as u64, Signature::EMPTY);
        if !view.representation.is_native() {
            let ty = r.datatype(datatype)?;
            let size = view.representation.in_file(&ty)?.size().checked_mul(count as u64);
            let too_long = || Error::new(MPI_ERR_COUNT, format!("count is {count}: the converted data are too long"));
            bytes = size.filter(|&bytes| bytes <= r.memory().size() * WIDENING).ok_or_else(too_long)?;
            elements = ty.signature().repeated(count as u64)?;
        }
        if !bytes.is_multiple_of(view.unit()) {
            let text =
                format!("{bytes} bytes are not a whole number of the view's etypes, which have {} each", view.unit());
            return Err(Error::new(MPI_ERR_ARG, text));
        }
        let etypes = (bytes / view.unit()) as i64;
        Ok(Access { file: file.clone(), view, direction, buffer, span, elements, bytes, etypes })
    }

    /// Says where it begins.
    pub(super) fn at(self, place: Place) -> Result<Placed> {
        let position = self.file.place(place, self.etypes)?;
        self.at_position(position)
    }

    pub(super) fn at_position(self, position: i64) -> Result<Placed> {
        let region = self.view.region(position, self.bytes)?;
        Ok(Placed { access: self, region })
    }
}

/// An access that knows where it begins.
pub(super) struct Placed {
    access: Access,
    region: Region,
}

/// An access whose bytes are as they belong in the file, or will be.
pub(super) struct Ready {
    access: Access,
    form: Form,
    pub(super) part: Part,
}

impl Placed {
    /// Converts what is to be written.
    pub(super) async fn ready(self, r: &Rank) -> Result<Ready> {
        let Placed { access, region } = self;
        let form = Form::of(r, &access).await?;
        let part = Part { room: form.room(r, &access)?, region };
        Ok(Ready { access, form, part })
    }

    /// Does it, in the background if it takes long and is to be there.
    async fn run(self, r: &Rank, background: bool) -> Result<Status> {
        let ready = self.ready(r).await?;
        let moved = ready.carry(r, background).await;
        ready.end(r, moved).await
    }
}

/// As few bytes are moved sooner than another thread begins.
const LITTLE: u64 = 64 << 10;

impl Ready {
    /// Moves the bytes; how many.
    pub(super) async fn carry(&self, r: &Rank, background: bool) -> Result<u64> {
        let (common, direction) = (self.access.file.common.clone(), self.access.direction);
        if !background || self.access.bytes <= LITTLE {
            let _turn = common.turn();
            return carry_alone(&*common.stored, &self.part, direction);
        }
        let part = self.part.clone();
        let work = move || {
            let _turn = common.turn();
            carry_alone(&*common.stored, &part, direction)
        };
        r.beside(r.storage()?, work).await
    }

    /// Converts what was read; the status of the access.
    pub(super) async fn end(self, r: &Rank, moved: Result<u64>) -> Result<Status> {
        let written = self.access.direction == Direction::Write;
        if let Ok(bytes) = moved {
            r.tell(|| Event::Carried { by: r.id(), bytes, written });
        }
        let bytes = self.form.end(r, &self.access, moved).await?;
        let mut status = Status::EMPTY;
        status.set_bytes(bytes);
        Ok(status)
    }
}

/// `MPI_File_read`, `MPI_File_write_at`, … : an access that is done when this returns.
pub async fn access(
    r: &Rank,
    place: Place,
    direction: Direction,
    fh: File,
    buf: Addr,
    count: i64,
    datatype: Datatype,
) -> Result<Status> {
    let file = r.file(fh)?;
    Access::new(r, &file, direction, (buf, count, datatype))?.at(place)?.run(r, false).await
}

/// `MPI_File_iread`, `MPI_File_iwrite_at`, … : an access that goes on while the rank does.
pub fn iaccess(
    r: &Rank,
    place: Place,
    direction: Direction,
    fh: File,
    buf: Addr,
    count: i64,
    datatype: Datatype,
) -> Result<Request> {
    let file = r.file(fh)?;
    let placed = Access::new(r, &file, direction, (buf, count, datatype))?.at(place)?;
    r.begin(Comm::SELF, async move |r: &Rank| placed.run(r, true).await.map_err(|error| error.or_on(fh)))
}
