//! Models of how the ranks of a window meet and let each other in, for loom: nobody sleeps for ever, and whoever goes on sees
//! what the others had done before.

use std::rc::Rc;
use std::sync::Arc;

use rankine_abi::{Group, Win};

use super::common::Common;
use super::*;
use crate::group::Members;
use crate::models::{explore, run, two_ranks};
use crate::sync::Cell;

/// What two ranks of a model share: a window, and a number that one of them writes at a time.
struct Shared {
    common: Arc<Common>,
    number: Cell<u32>,
}

// SAFETY: loom watches the number; all else is made to be shared.
unsafe impl Send for Shared {}
// SAFETY: the number is accessed under the window's synchronisation only, which loom watches.
unsafe impl Sync for Shared {}

impl Shared {
    fn new() -> Arc<Shared> {
        Arc::new(Shared { common: Arc::new(Common::new(&Members::range(0, 2), None)), number: Cell::new(0) })
    }

    fn write(&self, value: u32) {
        // SAFETY: the synchronisation of the window keeps the other rank from it, which the model proves.
        self.number.with_mut(|number| unsafe { *number = value });
    }

    fn read(&self) -> u32 {
        // SAFETY: nobody writes meanwhile: the window's synchronisation keeps the other rank out, which the model proves.
        self.number.with(|number| unsafe { *number })
    }
}

/// A rank's handle of the window.
fn window(r: &Rank, shared: &Shared) -> Win {
    let window = Window::of_model(r, shared.common.clone());
    r.windows.table.borrow_mut().add(Some(Rc::new(window)), "windows").map(Win).unwrap()
}

/// A group of one rank.
fn only(r: &Rank, rank: u32) -> Group {
    r.add_group(Rc::new(Members::range(rank, 1))).unwrap()
}

#[test]
fn all_have_come_when_a_fence_is_over() {
    explore(2, || {
        let zero = Shared::new();
        let one = zero.clone();
        two_ranks(
            move |r| {
                let win = window(r, &zero);
                run(r, async {
                    zero.write(1);
                    win_fence(r, 0, win).await.unwrap();
                    win_fence(r, 0, win).await.unwrap();
                    assert_eq!(zero.read(), 2);
                });
            },
            move |r| {
                let win = window(r, &one);
                run(r, async {
                    win_fence(r, 0, win).await.unwrap();
                    assert_eq!(one.read(), 1);
                    one.write(2);
                    win_fence(r, 0, win).await.unwrap();
                });
            },
        );
    });
}

#[test]
fn an_origin_accesses_between_post_and_wait() {
    explore(2, || {
        let zero = Shared::new();
        let one = zero.clone();
        two_ranks(
            move |target| {
                let (win, origins) = (window(target, &zero), only(target, 1));
                run(target, async {
                    zero.write(1);
                    win_post(target, origins, 0, win).unwrap();
                    win_wait(target, win).await.unwrap();
                    assert_eq!(zero.read(), 2);
                });
            },
            move |origin| {
                let (win, targets) = (window(origin, &one), only(origin, 0));
                run(origin, async {
                    win_start(origin, targets, 0, win).await.unwrap();
                    assert_eq!(one.read(), 1);
                    one.write(2);
                    win_complete(origin, win).await.unwrap();
                });
            },
        );
    });
}
