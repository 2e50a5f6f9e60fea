//! Random types against type maps that are written out byte by byte.

use std::rc::Rc;

use proptest::prelude::*;
use rankine_abi::*;

use crate::datatype::cursor::Cursor;
use crate::datatype::predefined::predefined;
use crate::datatype::{Basic, Type, copy_typed};
use crate::layout::Layout;

/// A constructor with its arguments. Displacements of the `h` forms are in bytes.
#[derive(Clone, Debug)]
enum Spec {
    Basic(Datatype),
    Dup(Box<Spec>),
    Resized(i64, i64, Box<Spec>),
    Contiguous(i64, Box<Spec>),
    Vector(i64, i64, i64, Box<Spec>),
    Hvector(i64, i64, i64, Box<Spec>),
    Indexed(Vec<(i64, i64)>, Box<Spec>),
    Hindexed(Vec<(i64, i64)>, Box<Spec>),
    IndexedBlock(i64, Vec<i64>, Box<Spec>),
    HindexedBlock(i64, Vec<i64>, Box<Spec>),
    Struct(Vec<(i64, i64, Spec)>),
    /// (size, subsize, start) by dimension.
    Subarray(Vec<(i64, i64, i64)>, i32, Box<Spec>),
    /// (global size, distribution, argument, processes) by dimension, and the rank.
    Darray(Vec<(i64, i32, i32, i32)>, i32, i32, Box<Spec>),
}

fn spec() -> impl Strategy<Value = Spec> {
    let basics = [
        Datatype::CHAR,
        Datatype::SHORT,
        Datatype::INT,
        Datatype::DOUBLE,
        Datatype::C_DOUBLE_COMPLEX,
        Datatype::SHORT_INT,
        Datatype::DOUBLE_INT,
        Datatype::LONG_DOUBLE_INT,
    ];
    let leaf = prop::sample::select(basics.to_vec()).prop_map(Spec::Basic).boxed();
    leaf.prop_recursive(4, 12, 3, |inner| {
        let boxed = inner.clone().prop_map(Box::new).boxed();
        let order = prop::sample::select(vec![MPI_ORDER_C, MPI_ORDER_FORTRAN]);
        let blocks = prop::collection::vec((0..4_i64, -4..6_i64), 0..5);
        let byte_blocks = prop::collection::vec((0..4_i64, -40..60_i64), 0..5);
        let member = (0..3_i64, -20..60_i64, inner);
        let part = (1..5_i64)
            .prop_flat_map(|n| (1..=n).prop_flat_map(move |len| (0..=n - len).prop_map(move |start| (n, len, start))));
        let cyclic = (1..7_i64, 1..3_i32, 1..4_i32).prop_map(|(g, a, p)| (g, MPI_DISTRIBUTE_CYCLIC, a, p));
        let block = (1..7_i64, 1..4_i32).prop_map(|(g, p)| (g, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_DFLT_DARG, p));
        let none = (1..4_i64).prop_map(|g| (g, MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_DFLT_DARG, 1));
        let distributed = prop_oneof![cyclic, block, none];
        prop_oneof![
            boxed.clone().prop_map(Spec::Dup),
            (-20..20_i64, -30..60_i64, boxed.clone()).prop_map(|(lb, extent, old)| Spec::Resized(lb, extent, old)),
            (0..5_i64, boxed.clone()).prop_map(|(n, old)| Spec::Contiguous(n, old)),
            (0..5_i64, 0..4_i64, -3..5_i64, boxed.clone()).prop_map(|(n, l, s, old)| Spec::Vector(n, l, s, old)),
            (0..5_i64, 0..4_i64, -50..50_i64, boxed.clone()).prop_map(|(n, l, s, old)| Spec::Hvector(n, l, s, old)),
            (blocks, boxed.clone()).prop_map(|(b, old)| Spec::Indexed(b, old)),
            (byte_blocks, boxed.clone()).prop_map(|(b, old)| Spec::Hindexed(b, old)),
            (0..3_i64, prop::collection::vec(-4..6_i64, 0..6), boxed.clone())
                .prop_map(|(l, d, old)| Spec::IndexedBlock(l, d, old)),
            (0..3_i64, prop::collection::vec(-40..60_i64, 0..6), boxed.clone())
                .prop_map(|(l, d, old)| Spec::HindexedBlock(l, d, old)),
            prop::collection::vec(member, 0..4).prop_map(Spec::Struct),
            (prop::collection::vec(part, 1..4), order.clone(), boxed.clone())
                .prop_map(|(parts, order, old)| Spec::Subarray(parts, order, old)),
            (prop::collection::vec(distributed, 1..3), any::<u16>(), order, boxed).prop_map(|(d, rank, order, old)| {
                let size: i32 = d.iter().map(|d| d.3).product();
                Spec::Darray(d, i32::from(rank) % size, order, old)
            }),
        ]
    })
}

/// A type map: basic elements with displacements, and bounds as the standard defines them.
#[derive(Clone, Debug)]
struct Map {
    entries: Vec<(Basic, i64)>,
    lb: i64,
    ub: i64,
    marked: bool,
    align: i64,
}

impl Map {
    /// Copies of maps at displacements, in order.
    fn of(parts: &[(i64, &Map)], align: i64) -> Map {
        let entries: Vec<_> =
            parts.iter().flat_map(|(at, map)| map.entries.iter().map(move |(b, d)| (*b, d + at))).collect();
        let marked = parts.iter().any(|(_, map)| map.marked);
        let counts: Vec<_> = parts.iter().filter(|(_, m)| m.marked || !marked && !m.entries.is_empty()).collect();
        let lb = counts.iter().map(|(at, m)| at + m.lb).min().unwrap_or(0);
        let ub = counts.iter().map(|(at, m)| at + m.ub).max().unwrap_or(0);
        Map { entries, lb, ub, marked, align }
    }

    fn copies(&self, displacements: impl IntoIterator<Item = i64>) -> Map {
        let parts: Vec<_> = displacements.into_iter().map(|at| (at, self)).collect();
        Map::of(&parts, self.align)
    }

    fn extent(&self) -> i64 {
        self.ub - self.lb
    }

    fn block(&self, len: i64) -> impl Iterator<Item = i64> + use<> {
        let extent = self.extent();
        (0..len).map(move |i| i * extent)
    }

    /// The offsets of all bytes in order.
    fn bytes(&self) -> Vec<i64> {
        self.entries.iter().flat_map(|(b, at)| (0..i64::from(b.size)).map(move |i| at + i)).collect()
    }

    fn new(spec: &Spec) -> Map {
        match spec {
            Spec::Basic(handle) => {
                let e = handle.element().unwrap();
                let ty = predefined(*handle).unwrap();
                let mut entries = Vec::new();
                ty.signature()
                    .for_each_run(&mut |basic, n| {
                        for _ in 0..n {
                            let at = if entries.is_empty() { 0 } else { e.index.unwrap().offset.into() };
                            entries.push((basic, at));
                        }
                        Ok(())
                    })
                    .unwrap();
                Map { entries, lb: 0, ub: e.extent.into(), marked: false, align: e.align.into() }
            }
            Spec::Dup(old) => Map::new(old),
            Spec::Resized(lb, extent, old) => Map { lb: *lb, ub: lb + extent, marked: true, ..Map::new(old) },
            Spec::Contiguous(n, old) => {
                let old = Map::new(old);
                old.copies(old.block(*n))
            }
            Spec::Vector(n, len, stride, old) => {
                let old = Map::new(old);
                let e = old.extent();
                old.copies((0..*n).flat_map(|i| old.block(*len).map(move |b| i * stride * e + b)))
            }
            Spec::Hvector(n, len, stride, old) => {
                let old = Map::new(old);
                old.copies((0..*n).flat_map(|i| old.block(*len).map(move |b| i * stride + b)))
            }
            Spec::Indexed(blocks, old) => {
                let old = Map::new(old);
                let e = old.extent();
                old.copies(blocks.iter().flat_map(|(len, at)| old.block(*len).map(move |b| at * e + b)))
            }
            Spec::Hindexed(blocks, old) => {
                let old = Map::new(old);
                old.copies(blocks.iter().flat_map(|(len, at)| old.block(*len).map(move |b| at + b)))
            }
            Spec::IndexedBlock(len, ats, old) => {
                let old = Map::new(old);
                let e = old.extent();
                old.copies(ats.iter().flat_map(|at| old.block(*len).map(move |b| at * e + b)))
            }
            Spec::HindexedBlock(len, ats, old) => {
                let old = Map::new(old);
                old.copies(ats.iter().flat_map(|at| old.block(*len).map(move |b| at + b)))
            }
            Spec::Struct(members) => {
                let maps: Vec<_> = members.iter().map(|(_, _, old)| Map::new(old)).collect();
                let mut parts = Vec::new();
                for ((len, at, _), map) in members.iter().zip(&maps) {
                    parts.extend(map.block(*len).map(|b| (at + b, map)));
                }
                let members = parts.iter().filter(|(_, map)| !map.entries.is_empty());
                let align = members.map(|(_, map)| map.align).max().unwrap_or(1);
                let mut map = Map::of(&parts, align);
                while !map.marked && map.extent() % align != 0 {
                    map.ub += 1;
                }
                map
            }
            Spec::Subarray(parts, order, old) => {
                let dims: Vec<_> = parts.iter().map(|(n, len, start)| (*n, (*start..start + len).collect())).collect();
                Map::array(&dims, *order, old)
            }
            Spec::Darray(parts, rank, order, old) => {
                let mut rest = *rank;
                let mut coordinates: Vec<_> =
                    parts.iter().rev().map(|part| (rest % part.3, rest /= part.3).0).collect();
                coordinates.reverse();
                let dims = parts.iter().zip(coordinates).map(|(&(n, kind, arg, p), me)| {
                    let block = match kind {
                        MPI_DISTRIBUTE_CYCLIC => arg.into(),
                        _ => (n + i64::from(p) - 1) / i64::from(p),
                    };
                    (n, (0..n).filter(|i| i / block % i64::from(p) == me.into()).collect())
                });
                Map::array(&dims.collect::<Vec<_>>(), *order, old)
            }
        }
    }

    /// The selected indices of an array, which is what has the bounds.
    fn array(dims: &[(i64, Vec<i64>)], order: i32, old: &Spec) -> Map {
        let old = Map::new(old);
        let mut offsets = vec![0];
        let mut total = old.extent();
        // From the index that runs slowest.
        let slowest_first: Vec<_> =
            if order == MPI_ORDER_C { dims.to_vec() } else { dims.iter().rev().cloned().collect() };
        for (n, selected) in &slowest_first {
            offsets = offsets.iter().flat_map(|at| selected.iter().map(move |i| at * n + i)).collect();
            total *= n;
        }
        let e = old.extent();
        Map { lb: 0, ub: total, marked: true, ..old.copies(offsets.into_iter().map(|i| i * e)) }
    }
}

fn build(spec: &Spec) -> Rc<Type> {
    let split = |blocks: &[(i64, i64)]| blocks.iter().copied().unzip::<_, _, Vec<_>, Vec<_>>();
    Rc::new(
        match spec {
            Spec::Basic(handle) => Ok(predefined(*handle).unwrap()),
            Spec::Dup(old) => Type::dup(&build(old)),
            Spec::Resized(lb, extent, old) => Type::resized(&build(old), *lb, *extent),
            Spec::Contiguous(n, old) => Type::contiguous(*n, &build(old)),
            Spec::Vector(n, len, stride, old) => Type::vector(*n, *len, *stride, &build(old)),
            Spec::Hvector(n, len, stride, old) => Type::hvector(*n, *len, *stride, &build(old)),
            Spec::Indexed(blocks, old) => Type::indexed(&split(blocks).0, &split(blocks).1, &build(old)),
            Spec::Hindexed(blocks, old) => Type::hindexed(&split(blocks).0, &split(blocks).1, &build(old)),
            Spec::IndexedBlock(len, ats, old) => Type::indexed_block(*len, ats, &build(old)),
            Spec::HindexedBlock(len, ats, old) => Type::hindexed_block(*len, ats, &build(old)),
            Spec::Struct(members) => {
                let lengths: Vec<_> = members.iter().map(|m| m.0).collect();
                let ats: Vec<_> = members.iter().map(|m| m.1).collect();
                let types: Vec<_> = members.iter().map(|m| build(&m.2)).collect();
                Type::structure(&lengths, &ats, &types)
            }
            Spec::Subarray(parts, order, old) => {
                let column = |f: fn(&(i64, i64, i64)) -> i64| parts.iter().map(f).collect::<Vec<_>>();
                Type::subarray(&column(|p| p.0), &column(|p| p.1), &column(|p| p.2), *order, &build(old))
            }
            Spec::Darray(parts, rank, order, old) => {
                let column = |f: fn(&(i64, i32, i32, i32)) -> i32| parts.iter().map(f).collect::<Vec<_>>();
                let gsizes: Vec<_> = parts.iter().map(|p| p.0).collect();
                let (kinds, arguments, grid) = (column(|p| p.1), column(|p| p.2), column(|p| p.3));
                let size = grid.iter().product();
                Type::darray(size, *rank, &gsizes, &kinds, &arguments, &grid, *order, &build(old))
            }
        }
        .unwrap(),
    )
}

/// The offsets that a cursor visits from a packed position on.
fn visited(layout: &Layout, from: u64) -> Vec<i64> {
    let mut cursor = Cursor::new(layout, from);
    let mut bytes = Vec::new();
    // Odd steps, so that blocks are cut in every way.
    let mut step = 1;
    while cursor.run().count > 0 {
        let run = cursor.run();
        let take = (run.len * run.count).min(step);
        for i in 0..take {
            bytes.push(run.offset + (i / run.len) as i64 * run.stride + (i % run.len) as i64);
        }
        cursor.advance(take);
        step = step % 23 + 4;
    }
    bytes
}

/// A memory that takes all of the offsets, and where offset 0 is in it.
fn arena(bytes: &[i64], seed: u8) -> (Vec<u8>, i64) {
    let lo = bytes.iter().copied().min().unwrap_or(0).min(0);
    let hi = bytes.iter().copied().max().unwrap_or(0).max(0) + 1;
    ((0..hi - lo).map(|i| (i as u8).wrapping_mul(37).wrapping_add(seed)).collect(), -lo)
}

const LARGEST: usize = 20_000;

fn config() -> ProptestConfig {
    ProptestConfig { cases: 800, failure_persistence: None, max_global_rejects: 100_000, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    #[cfg_attr(miri, ignore = "too long")]
    fn types_are_their_type_maps(spec in spec(), count in 0..4_i64, cut in any::<prop::sample::Index>()) {
        let (map, ty) = (Map::new(&spec), build(&spec));
        let bytes = map.bytes();
        prop_assume!(bytes.len() <= LARGEST);
        prop_assert_eq!(ty.size(), bytes.len() as u64);
        prop_assert_eq!((ty.lb(), ty.extent()), (map.lb, map.extent()));
        let (lo, hi) = (bytes.iter().min().copied().unwrap_or(0), bytes.iter().max().map_or(0, |hi| hi + 1));
        prop_assert_eq!((ty.true_lb(), ty.true_extent().unwrap()), (lo, hi - lo));

        let message = ty.message(count as u64).unwrap();
        let all = map.copies(map.block(count)).bytes();
        prop_assert_eq!(message.size(), all.len() as u64);
        prop_assert_eq!(message.lo(), all.iter().min().copied().unwrap_or(0));
        prop_assert_eq!(message.hi(), all.iter().max().map_or(0, |hi| hi + 1));
        let from = cut.index(all.len() + 1);
        prop_assert_eq!(&visited(&message, from as u64), &all[from..]);
        prop_assert!(message.is_same(&build(&spec).message(count as u64).unwrap()));
    }

    #[test]
    #[cfg_attr(miri, ignore = "too long")]
    fn signatures_are_those_of_the_map(spec in spec(), more in 0..3_u64) {
        let (map, ty) = (Map::new(&spec), build(&spec));
        prop_assume!(map.entries.len() <= LARGEST / 8);
        let mut basics = Vec::new();
        ty.signature().for_each_run(&mut |basic, n| {
            basics.extend(std::iter::repeat_n(basic, n as usize));
            Ok(())
        }).unwrap();
        prop_assert_eq!(&basics, &map.entries.iter().map(|e| e.0).collect::<Vec<_>>());
        prop_assert_eq!(ty.signature().elements(), basics.len() as u64);
        prop_assert_eq!(ty.signature().bytes(), ty.size());
        let (mut elements, mut bytes) = (more * basics.len() as u64, more * ty.size());
        for basic in basics {
            prop_assert_eq!(ty.signature().elements_in(bytes), Some(elements));
            prop_assert_eq!(ty.signature().bytes_of(elements), Some(bytes));
            if basic.size > 1 {
                prop_assert_eq!(ty.signature().elements_in(bytes + 1), None);
            }
            elements += 1;
            bytes += u64::from(basic.size);
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "too long")]
    fn packing_and_unpacking(spec in spec(), count in 0..4_i64, cuts in any::<[prop::sample::Index; 2]>()) {
        let (map, ty) = (Map::new(&spec), build(&spec));
        let all = map.copies(map.block(count)).bytes();
        prop_assume!(all.len() <= LARGEST);
        let message = ty.message(count as u64).unwrap();
        let (mut memory, zero) = arena(&all, 1);
        let base = memory.as_mut_ptr().wrapping_offset(zero as isize);
        let mut ends = cuts.map(|cut| cut.index(all.len() + 1));
        ends.sort();
        let [from, to] = ends;

        let mut packed = vec![0; to - from];
        // SAFETY: the arena takes every offset of the message, and `packed` the bytes.
        unsafe { message.pack(packed.as_mut_ptr(), base, from as u64, (to - from) as u64) };
        let expected: Vec<u8> = all[from..to].iter().map(|at| memory[(at + zero) as usize]).collect();
        prop_assert_eq!(&packed, &expected);

        let news: Vec<u8> = (from..to).map(|i| (i as u8).wrapping_mul(91)).collect();
        let mut expected = memory.clone();
        for (at, byte) in all[from..to].iter().zip(&news) {
            expected[(at + zero) as usize] = *byte;
        }
        // SAFETY: the arena takes every offset of the message, and `news` has the bytes.
        unsafe { message.unpack(base, from as u64, news.as_ptr(), (to - from) as u64) };
        prop_assert_eq!(&memory, &expected);
    }

    #[test]
    #[cfg_attr(miri, ignore = "too long")]
    fn copying_from_layout_to_layout(
        specs in [spec(), spec()],
        counts in [1..6_i64, 1..6_i64],
        cuts in any::<[prop::sample::Index; 2]>(),
    ) {
        check_copy([&specs[0], &specs[1]], counts, |n| cuts.map(|cut| cut.index(n + 1)))?;
    }

    #[test]
    #[cfg_attr(miri, ignore = "too long")]
    fn copying_between_equal_layouts(spec in spec(), count in 1..6_i64, cuts in any::<[prop::sample::Index; 2]>()) {
        check_copy([&spec, &spec], [count, count], |n| cuts.map(|cut| cut.index(n + 1)))?;
    }
}

/// Copies the part between two positions from the second message to the first.
fn check_copy(specs: [&Spec; 2], counts: [i64; 2], cuts: impl Fn(usize) -> [usize; 2]) -> Result<(), TestCaseError> {
    let maps = specs.map(Map::new);
    let all = [0, 1].map(|i| maps[i].copies(maps[i].block(counts[i])).bytes());
    prop_assume!(all[0].len().max(all[1].len()) <= LARGEST);
    let messages = [0, 1].map(|i| build(specs[i]).message(counts[i] as u64).unwrap());
    let ((mut target, zero), (source, origin)) = (arena(&all[0], 1), arena(&all[1], 2));
    let mut ends = cuts(all[0].len().max(all[1].len()));
    ends.sort();
    let [from, to] = ends;

    let mut expected = target.clone();
    for (to, from) in all[0].iter().zip(&all[1]).take(to).skip(from) {
        expected[(to + zero) as usize] = source[(from + origin) as usize];
    }
    // SAFETY: the arenas take every offset of the messages.
    unsafe {
        let dst = target.as_mut_ptr().wrapping_offset(zero as isize);
        let src = source.as_ptr().wrapping_offset(origin as isize);
        copy_typed(dst, &messages[0], src, &messages[1], from as u64, (to - from) as u64);
    }
    prop_assert_eq!(&target, &expected);
    Ok(())
}

/// A few of the above, short enough for Miri.
#[test]
fn copying_between_a_few_layouts() {
    let basic = |handle| Box::new(Spec::Basic(handle));
    let specs = [
        Spec::Contiguous(3, basic(Datatype::DOUBLE)),
        Spec::Vector(3, 2, -3, basic(Datatype::SHORT)),
        Spec::Basic(Datatype::SHORT_INT),
        Spec::Struct(vec![(1, 3, Spec::Vector(20, 1, 2, basic(Datatype::CHAR))), (2, 90, Spec::Basic(Datatype::INT))]),
    ];
    for to in &specs {
        for from in &specs {
            check_copy([to, from], [2, 3], |n| [n / 3, n]).unwrap();
            check_copy([to, from], [5, 4], |n| [0, n / 2]).unwrap();
        }
    }
}
