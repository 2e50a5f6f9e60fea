//! Line tables: the row that an address is in, and the files that rows name.

use gimli::{DebugLineOffset, IncompleteLineProgram, LineProgramHeader, Reader as _, Section as _};

use super::{Entry, MOST_TABLE, Result, Search, Slice, Sought, Stop, Unit, Value};

/// A row of a line table.
#[derive(Clone, Copy)]
pub(super) struct Row {
    pub(super) address: u64,
    pub(super) file: u64,
    pub(super) line: Option<u64>,
    pub(super) column: u64,
}

impl<'m> Search<'m> {
    /// Runs the unit's line program for the rows of what is sought. Its tables of files come back.
    pub(super) fn read_lines(
        &self,
        unit: &Unit<'m>,
        root: &Entry<'m>,
        sought: &mut [Sought<'m>],
    ) -> Result<Option<LineProgramHeader<Slice<'m>>>> {
        let at = match root.lines {
            Some(Value::DebugLineRef(at)) => at,
            Some(Value::SecOffset(at)) => DebugLineOffset(at),
            _ => return Ok(None),
        };
        let program = self.line_program(unit, at)?;
        let header = program.header().clone();
        let mut rows = program.rows();
        let mut before: Option<Row> = None;
        while let Some((_, row)) = rows.next_row()? {
            if let Some(before) = before {
                for one in sought.iter_mut().filter(|one| one.row.is_none()) {
                    one.row = (before.address..row.address()).contains(&one.address).then_some(before);
                }
            }
            before = (!row.end_sequence()).then(|| Row {
                address: row.address(),
                file: row.file_index(),
                line: row.line().map(u64::from),
                column: match row.column() {
                    gimli::ColumnType::LeftEdge => 0,
                    gimli::ColumnType::Column(column) => column.get(),
                },
            });
        }
        Ok(Some(header))
    }

    fn line_program(&self, unit: &Unit<'m>, at: DebugLineOffset) -> Result<IncompleteLineProgram<Slice<'m>>> {
        let mut start = *self.dwarf.debug_line.reader();
        start.skip(at.0)?;
        let (length, format) = start.read_initial_length()?;
        let version = start.read_u16()?;
        start.skip(if version >= 5 { 2 } else { 0 })?;
        if start.read_length(format)? > MOST_TABLE {
            return Err(Stop::Malformed);
        }
        self.spend(length)?;
        Ok(self.dwarf.debug_line.program(at, unit.header.address_size(), None, None)?)
    }

    /// The path of a file: in its folder, which may lie in that of the unit.
    pub(super) fn file(
        &self,
        unit: &Unit<'m>,
        root: &Entry<'m>,
        lines: &LineProgramHeader<Slice<'m>>,
        index: u64,
    ) -> Option<String> {
        let file = lines.file(index)?;
        let folder = if file.directory_index() == 0 { None } else { file.directory(lines) };
        let mut path = String::new();
        for part in [root.folder, folder, Some(file.path_name())].into_iter().flatten() {
            let part = self.text(unit, part)?;
            if part.starts_with(['/', '\\']) || part.get(1..2) == Some(":") {
                path.clear();
            } else if !path.is_empty() && !path.ends_with('/') {
                path.push('/');
            }
            path += &part;
        }
        Some(path)
    }
}
