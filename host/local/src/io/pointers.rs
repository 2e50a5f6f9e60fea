//! Where ranks stand in a file (MPI-5.0 §14.4.2 to §14.4.4).

use rankine_abi::{File, MPI_ERR_ARG, MPI_SEEK_CUR, MPI_SEEK_END, MPI_SEEK_SET};

use super::Opened;
use super::common::beyond;
use crate::error::{Error, Result};
use crate::rank::Rank;

impl Opened {
    /// Where a seek leads.
    fn sought(&self, current: i64, offset: i64, whence: i32) -> Result<i64> {
        let from = match whence {
            MPI_SEEK_SET => 0,
            MPI_SEEK_CUR => current,
            MPI_SEEK_END => self.view().end(self.common.stored.size()?),
            _ => {
                let text = format!("whence is {whence}, but has to be MPI_SEEK_SET, MPI_SEEK_CUR or MPI_SEEK_END");
                return Err(Error::new(MPI_ERR_ARG, text));
            }
        };
        match beyond(from, offset)? {
            position @ 0.. => {
                self.view().byte_offset(position)?;
                Ok(position)
            }
            position => {
                Err(Error::new(MPI_ERR_ARG, format!("the file pointer would be {position}, which is negative")))
            }
        }
    }
}

/// `MPI_File_seek`
pub fn file_seek(r: &Rank, fh: File, offset: i64, whence: i32) -> Result<()> {
    let file = r.file(fh)?;
    file.check_random()?;
    file.position.set(file.sought(file.position.get(), offset, whence)?);
    Ok(())
}

/// `MPI_File_seek_shared`
pub async fn file_seek_shared(r: &Rank, fh: File, offset: i64, whence: i32) -> Result<()> {
    let file = r.file(fh)?;
    let mine = file.check_random().map(|()| r.world().fingerprint((offset, whence)));
    file.together(r, mine, || {
        let position = file.sought(file.common.pointer()?, offset, whence)?;
        file.common.set_pointer(position);
        Ok(())
    })
    .await
}

/// `MPI_File_get_position`
pub fn file_get_position(r: &Rank, fh: File) -> Result<i64> {
    let file = r.file(fh)?;
    file.check_random()?;
    Ok(file.position.get())
}

/// `MPI_File_get_position_shared`
pub fn file_get_position_shared(r: &Rank, fh: File) -> Result<i64> {
    let file = r.file(fh)?;
    file.check_random()?;
    file.common.pointer()
}
