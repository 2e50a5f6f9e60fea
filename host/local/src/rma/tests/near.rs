//! What is done at once, as it was found out before or nobody is in the way, and when it is not.

use std::ops::ControlFlow::{Break, Continue};

use super::*;

/// Where results go.
const RESULT: Addr = Addr(OTHER.0 + 16384);

/// What was found out of a target is forgotten with the epoch.
#[test]
fn a_target_is_near_for_an_epoch() {
    both(2, async |r| {
        let (win, to, int) = (window(r, 64, 8).await, 1 - r.id() as i32, Datatype::INT64_T);
        let class = |result: Result<()>| result.map_err(|error| error.class);
        let touch = |target, disp| {
            let moved = class(put(r, OTHER, 1, int, target, disp, 1, int, win));
            assert_eq!(class(fetch_and_op(r, OTHER, RESULT, int, target, disp, Op::SUM, win)), moved);
            assert_eq!(class(get(r, OTHER, 1, int, target, disp, 1, int, win)), moved);
            moved
        };
        let flush = |target| class(win_flush_at_once(r, target, win).map(drop));
        let (sync, range) = (Err(MPI_ERR_RMA_SYNC), Err(MPI_ERR_RMA_RANGE));
        assert_eq!((touch(to, 0), touch(-1, 0)), (sync, Err(MPI_ERR_RANK)));
        assert_eq!((flush(to), flush(-1)), (sync, Err(MPI_ERR_RANK)));
        win_fence(r, 0, win).await.unwrap();
        // What is in vain begins no epoch.
        assert_eq!(touch(to, 8), range);
        win_lock(r, MPI_LOCK_SHARED, to, 0, win).await.unwrap();
        assert_eq!((touch(to, 7), touch(to, 8), touch(to, -1), touch(1 - to, 0)), (Ok(()), range, range, sync));
        assert_eq!((flush(to), flush(1 - to), flush(-1)), (Ok(()), sync, Err(MPI_ERR_RANK)));
        win_lock(r, MPI_LOCK_SHARED, 1 - to, 0, win).await.unwrap();
        assert_eq!((touch(1 - to, 0), touch(to, 0)), (Ok(()), Ok(())));
        win_unlock(r, to, win).await.unwrap();
        assert_eq!((touch(to, 0), touch(1 - to, 0)), (sync, Ok(())));
        win_unlock(r, 1 - to, win).await.unwrap();
        assert_eq!((touch(to, 0), touch(1 - to, 0)), (sync, sync));
        win_lock_all(r, 0, win).await.unwrap();
        assert_eq!((touch(to, 0), touch(1 - to, 0), touch(2, 0)), (Ok(()), Ok(()), Err(MPI_ERR_RANK)));
        win_unlock_all(r, win).await.unwrap();
        assert_eq!(touch(to, 0), sync);
        win_fence(r, 0, win).await.unwrap();
        assert_eq!((touch(to, 0), flush(to)), (Ok(()), sync));
        win_fence(r, MPI_MODE_NOSUCCEED, win).await.unwrap();
        assert_eq!(touch(to, 0), sync);
        win_free(r, win).await.unwrap();
        assert_eq!(touch(to, 0), Err(MPI_ERR_WIN));
    });
}

#[test]
fn a_lock_that_is_free_is_taken_at_once() {
    both(2, async |r| {
        let (win, to) = (window(r, 64, 8).await, 1 - r.id() as i32);
        let lock = |kind, target, assert| win_lock_at_once(r, kind, target, assert, win).unwrap();
        let unlock = |target| win_unlock_at_once(r, target, win).unwrap();
        for kind in [MPI_LOCK_EXCLUSIVE, MPI_LOCK_SHARED] {
            // Only this rank locks that part.
            assert!(matches!(lock(kind, to, 0), Break(())));
            let again = win_lock(r, kind, to, 0, win).await.unwrap_err();
            assert_eq!(again.class, MPI_ERR_RMA_SYNC);
            if let Continue(rest) = unlock(to) {
                rest.await.unwrap();
            }
        }
        // What is wrong, or out of the ordinary, is for the rest.
        for (kind, target, assert) in
            [(7, to, 0), (MPI_LOCK_SHARED, 2, 0), (MPI_LOCK_SHARED, -1, 0), (MPI_LOCK_SHARED, to, MPI_MODE_NOPUT)]
        {
            assert!(matches!(lock(kind, target, assert), Continue(_)), "{kind} {target} {assert}");
        }
        assert!(matches!(unlock(to), Continue(_)));
        win_fence(r, MPI_MODE_NOSUCCEED, win).await.unwrap();
        // The other rank has the lock of its own part: whoever comes waits.
        let mine = r.id() as i32;
        assert!(matches!(lock(MPI_LOCK_EXCLUSIVE, mine, 0), Break(())));
        crate::coll::run(r, Comm::WORLD, |_| Ok(crate::coll::Barrier)).await.unwrap();
        assert_eq!(win_lock(r, MPI_LOCK_SHARED, mine, 0, win).await.unwrap_err().class, MPI_ERR_RMA_SYNC);
        if let Continue(rest) = unlock(mine) {
            rest.await.unwrap();
        }
        if let Continue(rest) = lock(MPI_LOCK_SHARED, to, 0) {
            rest.await.unwrap();
        }
        // Of two that are locked each is given back on its own, and what nobody holds not at all.
        assert!(matches!(lock(MPI_LOCK_SHARED, mine, MPI_MODE_NOCHECK), Break(())));
        for target in [to, mine] {
            if let Continue(rest) = unlock(target) {
                rest.await.unwrap();
            }
            let Continue(rest) = unlock(target) else { panic!("{target} is given back twice") };
            assert_eq!(rest.await.unwrap_err().class, MPI_ERR_RMA_SYNC);
        }
        win_fence(r, 0, win).await.unwrap();
        win_free(r, win).await.unwrap();
    });
}
