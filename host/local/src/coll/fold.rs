//! Combining operands in one order, whatever the algorithm.
//!
//! The ranks' operands are the leaves of a binary tree that depends on the number of ranks only: runs of 2, 4, 8, …
//! ranks that begin at a multiple of their length, the last ones perhaps shorter. Left stays left, so operations need
//! not be commutative; and a floating-point result is the same on threads and fibers, for short and long messages, at
//! every root and on every rank.

use super::flight::Scratch;
use super::tree::Tree;
use super::{Coll, bcast};
use crate::error::Result;
use crate::op::Reduction;
use crate::span::Span;

/// Operands that came in rank order, combined as far as the order allows.
pub(super) struct Fold<'a, 'c> {
    g: &'c Coll<'a>,
    reduction: &'c Reduction,
    /// Results of runs of `1 << level` operands; levels fall from bottom to top.
    runs: Vec<(u32, Scratch<'a>)>,
}

impl<'a, 'c> Fold<'a, 'c> {
    pub(super) fn new(g: &'c Coll<'a>, reduction: &'c Reduction) -> Self {
        Fold { g, reduction, runs: Vec::new() }
    }

    /// Takes the next operand.
    pub(super) async fn push(&mut self, operand: Scratch<'a>) -> Result<()> {
        let (mut level, mut right) = (0, operand);
        while let Some((_, left)) = self.runs.pop_if(|(above, _)| *above == level) {
            self.reduction.apply(self.g.r(), &left, &mut right).await?;
            level += 1;
        }
        self.runs.push((level, right));
        Ok(())
    }

    /// The result of all operands, of which there was at least one.
    pub(super) async fn finish(mut self) -> Result<Scratch<'a>> {
        let (_, mut right) = self.runs.pop().expect("a reduction has an operand");
        while let Some((_, left)) = self.runs.pop() {
            self.reduction.apply(self.g.r(), &left, &mut right).await?;
        }
        Ok(right)
    }
}

/// Combines every rank's operand: the result at rank 0, nothing elsewhere.
pub(super) async fn to_first<'a>(
    g: &Coll<'a>,
    reduction: &Reduction,
    mine: Scratch<'a>,
) -> Result<Option<Scratch<'a>>> {
    let near = if g.near().is_power_of_two() { g.near() } else { g.size };
    up(g, reduction, g.tree_of(near), mine).await
}

/// Combines the operands of the only two ranks: the result at the root, nothing at the other.
pub(super) async fn of_two<'a>(
    g: &Coll<'a>,
    reduction: &Reduction,
    mine: Scratch<'a>,
    root: usize,
) -> Result<Option<Scratch<'a>>> {
    if g.rank != root {
        g.isend_carried(root, mine)?.finish().await?;
        return Ok(None);
    }
    let other = 1 - root;
    let theirs = g.recv_carried(other, mine.len()).await?;
    Ok(Some(with(g, reduction, mine, (other, theirs)).await?))
}

/// Combines the operands of a tree's ranks: the result at its root, nothing elsewhere.
async fn up<'a>(g: &Coll<'a>, reduction: &Reduction, tree: Tree, mine: Scratch<'a>) -> Result<Option<Scratch<'a>>> {
    let mut children = tree.children(g.rank);
    let mine = match (children.next(), children.next()) {
        (Some(only), None) => {
            let theirs = g.recv_carried(only, mine.len()).await?;
            with(g, reduction, mine, (only, theirs)).await?
        }
        _ => with_those_below(g, reduction, tree, mine).await?,
    };
    match tree.parent(g.rank) {
        None => Ok(Some(mine)),
        Some(parent) => {
            g.isend_carried(parent, mine)?.finish().await?;
            Ok(None)
        }
    }
}

/// Combines the operands of all that a rank has below it in a tree with its own.
async fn with_those_below<'a>(
    g: &Coll<'a>,
    reduction: &Reduction,
    tree: Tree,
    mine: Scratch<'a>,
) -> Result<Scratch<'a>> {
    let length = mine.len();
    let mut levels = Vec::new();
    for level in tree.levels_below(g.rank) {
        levels.push(level.map(|child| g.irecv_carried(child, length)).collect::<Result<Vec<_>>>()?);
    }
    let mut mine = mine;
    for level in levels {
        let mut fold = Fold::new(g, reduction);
        fold.push(mine).await?;
        for child in level {
            fold.push(child.finish().await?).await?;
        }
        mine = fold.finish().await?;
    }
    Ok(mine)
}

/// Combines every rank's operand: the result at every rank.
pub(super) async fn to_all<'a>(g: &Coll<'a>, reduction: &Reduction, mine: Scratch<'a>) -> Result<Scratch<'a>> {
    let (unit, length) = (g.unit(), mine.len());
    if g.size.is_power_of_two() && unit == 1 {
        return exchange(g, reduction, unit, mine).await;
    }
    if g.size.is_power_of_two() && unit.is_power_of_two() {
        let tree = g.tree_of(unit).apart();
        let mut result = match up(g, reduction, tree, mine).await? {
            Some(result) => exchange(g, reduction, unit, result).await?,
            None => Scratch::new(g.r(), length)?,
        };
        bcast::spread_along(g, tree, (0, unit), &result.span()).await?;
        return Ok(result);
    }
    let mut result = match to_first(g, reduction, mine).await? {
        Some(result) => result,
        None => Scratch::new(g.r(), length)?,
    };
    bcast::spread(g, 0, &result.span()).await?;
    Ok(result)
}

/// Recursive doubling: after each round the first rank of a unit has the result of a run twice as long.
async fn exchange<'a>(g: &Coll<'a>, reduction: &Reduction, unit: usize, mut mine: Scratch<'a>) -> Result<Scratch<'a>> {
    let mut step = unit;
    while step < g.size {
        let peer = g.rank ^ step;
        let length = mine.len();
        let (own, theirs) = g.swap_carried(peer, mine, length).await?;
        mine = with(g, reduction, own, (peer, theirs)).await?;
        step *= 2;
    }
    Ok(mine)
}

/// Operands of up to so many bytes lie on the stack.
const ON_STACK: usize = 128;

/// Whether ranks trade short operands, each with one after the other.
pub(super) fn is_traded(g: &Coll<'_>, bytes: usize) -> bool {
    bytes <= ON_STACK && g.size.is_power_of_two() && g.unit() == 1
}

/// As [`to_all`], of operands that are [traded](is_traded).
pub(super) async fn trade(g: &Coll<'_>, reduction: &Reduction, from: &Span<'_>, to: &Span<'_>) -> Result<()> {
    let (mut one, mut other) = ([0; ON_STACK], [0; ON_STACK]);
    let (mut mine, mut theirs) = (&mut one[..from.bytes()], &mut other[..from.bytes()]);
    from.read(0, mine);
    let mut step = 1;
    while step < g.size {
        let peer = g.rank ^ step;
        g.swap(peer, &Span::over(mine), &Span::over(theirs)).await?;
        // The one of the lower rank comes first, and the result is in the other.
        if g.rank < peer {
            std::mem::swap(&mut mine, &mut theirs);
        }
        reduction.apply(g.r(), theirs, mine).await?;
        step *= 2;
    }
    to.unpack(0, mine);
    Ok(())
}

/// Combines the operands of this rank and of another.
pub(super) async fn with<'a>(
    g: &Coll<'a>,
    reduction: &Reduction,
    mut mine: Scratch<'a>,
    (peer, mut theirs): (usize, Scratch<'a>),
) -> Result<Scratch<'a>> {
    if g.rank < peer {
        reduction.apply(g.r(), &mine, &mut theirs).await?;
        return Ok(theirs);
    }
    reduction.apply(g.r(), &theirs, &mut mine).await?;
    Ok(mine)
}

impl Coll<'_> {
    /// The tree for short messages. Eight ranks are one level: a rank can start seven messages while one arrives.
    pub(super) fn tree(&self) -> Tree {
        self.tree_of(self.near())
    }

    /// It where so many ranks share a node.
    pub(super) fn tree_of(&self, near: usize) -> Tree {
        Tree::new(self.size, near, 3)
    }
}
