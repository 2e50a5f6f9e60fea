//! A guest that publishes what makes no sense: it is told so, and so is who looks.

use libtest_mimic::Failed;
use rankine_view_wire::Said;

use super::{Site, check};

/// The guest's number.
const GUEST: usize = 1;

/// What is said of its calls.
const SAID: [&str; 24] = [
    "rank 1: Rankine_View_field of `shape`: dimension 0: its extent is -5",
    "rank 1: Rankine_View_field of `box`: dimension 1: 4 indices from -1 on are not within the extent 4",
    "rank 1: Rankine_View_field of `box`: dimension 1: 2 indices from 2147483647 on are not within the extent 4",
    "rank 1: Rankine_View_field of `dimensions`: a field of 1000000000 dimensions; 2 or 3 can be shown",
    "rank 1: Rankine_View_field of `type`: its elements are of type",
    "rank 1: Rankine_View_field of `memory`: its values:",
    "rank 1: Rankine_View_field of `null`: its values are at the null pointer",
    "its part overlaps that of rank",
    "rank 1: Rankine_View_scale of `meaning`: its unit has control characters",
    "rank 1: Rankine_View_scale of `meaning`: colours from 1 to 0",
    "rank 1: Rankine_View_axis of `meaning`: there is no axis `w`; there are x, y and z",
    "rank 1: Rankine_View_axis of `meaning`: coordinates of an axis from NaN on, 1 apart",
    "rank 1: Rankine_View_arrows of `arrows`: its parts along x are at the null pointer",
    "rank 1: Rankine_View_arrows of `arrows`: in two dimensions a vector has no part along z",
    "rank 1: Rankine_View_arrows of `arrows`: its parts along y",
    "rank 1: Rankine_View_field of `many 27`: there is no room for more: 32 fields and points",
    "rank 1: Rankine_View_points of `places`: points with 7 coordinates; those with 2 or 3 can be shown",
    "rank 1: Rankine_View_points of `places`: -1 points",
    "rank 1: Rankine_View_points of `far`: its values",
    "rank 1: Rankine_View_points of `values`: its values",
    "rank 1: Rankine_View_points of `bounds`: coordinate 1 is to be shown from 3 to 3",
    "rank 1: Rankine_View_points of `overlap`: a field has been published under this name",
    "rank 1: Rankine_View_curve: the name is",
    "rank 1: Rankine_View_curve: the name: no end of string within 200 bytes",
];

pub fn a_hostile_guest_is_told_so_and_goes_on(site: &Site) -> Result<(), Failed> {
    let job = site.start(&["-n", "2"], GUEST, &["stay"])?;
    let mut visitor = site.visit(&job)?;
    let mut notices: Vec<String> = Vec::new();
    for expected in SAID {
        while !notices.iter().any(|notice| notice.contains(expected)) {
            let said = visitor.hear().map_err(|failed| {
                format!("not shown: {expected}: {}\n{notices:?}", failed.message().unwrap_or_default())
            })?;
            if let Said::Notice(text) = said {
                notices.push(text);
            }
        }
    }
    visitor.set("stop", 1.0)?;
    let how = loop {
        if let Said::Ended(how) = visitor.hear()? {
            break how;
        }
    };
    check(how == "finished", || how)?;
    let (status, printed, errors) = job.end()?;
    check(status == 0 && printed == "OK\n", || format!("{status}: {printed}{errors}"))?;
    for expected in SAID {
        check(errors.contains(expected), || format!("not said: {expected}\n{errors}"))?;
    }
    Ok(())
}
