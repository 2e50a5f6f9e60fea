//! `rankine info --tools`: what the embedded engine shows through MPI's tools interface.

use std::fmt::Write as _;

use anyhow::Result;

use crate::engine::local::tools::{self, Group};

/// The page.
pub(super) fn page(json: bool) -> Result<String> {
    let groups: Vec<Group> = tools::groups().collect();
    if json {
        return Ok(serde_json::to_string_pretty(&groups)? + "\n");
    }
    let mut page = String::new();
    for Group { name, description, control_variables, performance_variables, events } in &groups {
        writeln!(page, "{name}: {description}")?;
        let lists = [
            ("control variables", control_variables),
            ("performance variables", performance_variables),
            ("events", events),
        ];
        for (title, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
            writeln!(page, "  {title}")?;
            for shown in list {
                let line = format!("    {:<29}{:<17}{}", shown.name, shown.note(), shown.description);
                writeln!(page, "{}", line.trim_end())?;
            }
        }
        writeln!(page)?;
    }
    writeln!(page, "A control variable that can be written is set by MPI_T_cvar_write; counters count in a session.")?;
    Ok(page)
}
