//! What becomes of elements: each operation on each datatype, wherever operands, results and elements lie.

use rankine_guest::op::predefined;

use super::*;

/// Where what was there before goes.
const RESULT: Addr = Addr(OTHER.0 + 16384);

const OPS: [Op; 14] = [
    Op::SUM,
    Op::PROD,
    Op::MAX,
    Op::MIN,
    Op::BAND,
    Op::BOR,
    Op::BXOR,
    Op::LAND,
    Op::LOR,
    Op::LXOR,
    Op::MAXLOC,
    Op::MINLOC,
    Op::REPLACE,
    Op::NO_OP,
];

/// Elements of a datatype: numbers where real ones have to be, whose sums say more than that they are none.
fn elements(datatype: Datatype, count: usize, seed: usize) -> Vec<u8> {
    let element = datatype.element().unwrap();
    let bytes = count * element.size as usize;
    let number = |index: usize| ((index * 37 + seed * 101) % 1000) as f64 / 8. - 50.;
    let real = match (element.kind, element.index) {
        (Kind::Float, None) => element.size,
        (Kind::Complex, None) => element.size / 2,
        _ => 0,
    };
    match real {
        4 => (0..bytes / 4).flat_map(|index| (number(index) as f32).to_le_bytes()).collect(),
        8 => (0..bytes / 8).flat_map(|index| number(index).to_le_bytes()).collect(),
        _ => (0..bytes).map(|index| (index * 31 + index / 7 + seed * 59) as u8 & 0x3f).collect(),
    }
}

fn read(r: &Rank, at: Addr, length: usize) -> Vec<u8> {
    r.memory().read_bytes(at, length as u64, "elements").unwrap()
}

fn write(r: &Rank, at: Addr, bytes: &[u8]) {
    r.memory().write_bytes(at, bytes, "elements").unwrap();
}

/// Combines elements that lie from there on in the window of a rank alone, and compares with what the kernel says.
fn compare(r: &Rank, win: Win, (op, datatype): (Op, Datatype), count: usize, disp: usize) {
    let Some(kernel) = predefined(op, datatype) else { return };
    let (mine, before) = (elements(datatype, count, 1), elements(datatype, count, 2));
    let mut after = before.clone();
    if op != Op::NO_OP {
        kernel(&mine, &mut after);
    }
    let (n, place, length) = (count as i64, at(BASE, disp as u64), mine.len());
    write(r, OTHER, &mine);
    for fetches in [false, true] {
        write(r, place, &before);
        write(r, RESULT, &vec![0xee; length + 1]);
        match fetches {
            false => accumulate(r, OTHER, n, datatype, 0, disp as i64, n, datatype, op, win),
            true => get_accumulate(r, OTHER, n, datatype, RESULT, n, datatype, 0, disp as i64, n, datatype, op, win),
        }
        .unwrap();
        let case = || format!("{:?} {:?} {count} at {disp}, fetches: {fetches}", op.name(), datatype.name());
        assert_eq!(read(r, place, length), after, "{}", case());
        let expected = if fetches { before.clone() } else { vec![0xee; length] };
        assert_eq!(read(r, RESULT, length + 1), [expected, vec![0xee]].concat(), "{}", case());
    }
}

#[test]
fn each_operation_is_its_kernel() {
    both(1, async |r| {
        let win = window(r, 32768, 1).await;
        let whole = Datatype::PREDEFINED.iter().filter(|datatype| datatype.predefined_block().is_some());
        let cases: Vec<_> = whole.flat_map(|datatype| OPS.map(|op| (op, *datatype))).collect();
        // Aligned, not aligned, over the end of a stretch.
        let places: &[_] =
            if cfg!(miri) { &[(2, 3)] } else { &[(1, 0), (1, 3), (7, 8), (60, 3), (300, 3000), (299, 4083)] };
        for exclusive in [false, true] {
            match exclusive {
                false => win_lock_all(r, 0, win).await.unwrap(),
                true => win_lock(r, MPI_LOCK_EXCLUSIVE, 0, 0, win).await.unwrap(),
            }
            for &case in &cases {
                places.iter().for_each(|&(count, disp)| compare(r, win, case, count, disp));
            }
            match exclusive {
                false => win_unlock_all(r, win).await.unwrap(),
                true => win_unlock(r, 0, win).await.unwrap(),
            }
        }
        win_free(r, win).await.unwrap();
    });
}

/// Results in the window itself, beside the elements and over them: what was there is written last.
#[test]
fn results_may_lie_in_the_window() {
    both(1, async |r| {
        let (win, double) = (window(r, 8192, 8).await, Datatype::DOUBLE);
        win_lock_all(r, 0, win).await.unwrap();
        let (mine, before) = (elements(double, 100, 1), elements(double, 1024, 2));
        for (result, op) in [800, 8, 799, 0, 4096].iter().flat_map(|&result| [(result, Op::SUM), (result, Op::REPLACE)])
        {
            write(r, BASE, &before);
            write(r, OTHER, &mine);
            get_accumulate(r, OTHER, 100, double, at(BASE, result), 100, double, 0, 0, 100, double, op, win).unwrap();
            let mut expected = before.clone();
            predefined(op, double).unwrap()(&mine, &mut expected[..800]);
            expected[result as usize..][..800].copy_from_slice(&before[..800]);
            assert!(read(r, BASE, 8192) == expected, "{result} {op:?}");
        }
        // What was there replaces the operands, which have been read.
        write(r, BASE, &before);
        get_accumulate(r, OTHER, 100, double, OTHER, 100, double, 0, 0, 100, double, Op::REPLACE, win).unwrap();
        fetch_and_op(r, at(OTHER, 8), at(OTHER, 8), double, 0, 1, Op::REPLACE, win).unwrap();
        assert_eq!(read(r, BASE, 800), [&mine[..8], &before[8..16], &mine[16..]].concat());
        assert_eq!(read(r, OTHER, 800), [&before[..8], &mine[8..16], &before[16..800]].concat());
        win_unlock_all(r, win).await.unwrap();
        win_free(r, win).await.unwrap();
    });
}

/// Each of several ranks adds one to every element, and no two of them have found the same there.
#[test]
fn no_two_find_the_same() {
    const ROUNDS: usize = if cfg!(miri) { 2 } else { 40 };
    const COUNT: usize = if cfg!(miri) { 3 } else { 700 };
    let (double, int) = (Datatype::DOUBLE, Datatype::INT32_T);
    let found = both(4, async |r| {
        let win = window(r, 16384, 1).await;
        write(r, BASE, &[0; 16384]);
        win_fence(r, 0, win).await.unwrap();
        let mut found = Vec::new();
        // Doubles over the end of a stretch, numbers that the hardware adds, and such as it can not, as they are not aligned.
        for (ty, disp, one) in
            [(double, 8, &1f64.to_le_bytes()[..]), (int, 8192, &[1, 0, 0, 0]), (int, 12289, &[1, 0, 0, 0])]
        {
            let n = COUNT as i64;
            write(r, OTHER, &one.repeat(COUNT));
            for _ in 0..ROUNDS {
                get_accumulate(r, OTHER, n, ty, RESULT, n, ty, 0, disp, n, ty, Op::SUM, win).unwrap();
                let result = read(r, RESULT, COUNT * one.len());
                found.push(result.chunks(one.len()).map(<[u8]>::to_vec).collect::<Vec<_>>());
            }
        }
        win_fence(r, 0, win).await.unwrap();
        win_free(r, win).await.unwrap();
        found
    });
    for which in 0..3 {
        let rounds = || found.iter().flat_map(|rank| &rank[which * ROUNDS..][..ROUNDS]);
        for element in 0..COUNT {
            let mut values: Vec<_> = rounds().map(|round| &round[element]).collect();
            values.sort_unstable();
            values.dedup();
            assert_eq!(values.len(), 4 * ROUNDS, "element {element} of {which}");
        }
    }
}
