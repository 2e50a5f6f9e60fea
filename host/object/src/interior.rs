//! References that point into other objects: to an element of an array, or to what lies inline in something larger.
//!
//! A walk meets such a target as an object of its own. Afterwards, what was met is sorted by address; what lies inside
//! of something larger becomes an alias of a part of it, which has a number like every object, but no bytes. What only
//! weak references lead to is looked for last, in what has been met then: such aliases have the highest numbers.

use std::collections::HashMap;

use rankine_abi::MPI_ERR_TYPE;
use rankine_guest::{Error, Result};

use crate::image::{HEADER, put_word, word};
use crate::plan::{Action, Layout, Plan, Shape};
use crate::walk::Met;

/// Bytes of an alias in an image.
pub(crate) const ALIAS: usize = 20;

/// An object that is part of another one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Alias {
    /// Its number.
    pub number: u32,
    /// The number of the object that it is part of.
    pub container: u32,
    /// Where it begins there.
    pub offset: u32,
    /// What the container is, in case that nothing before has referred to it.
    pub shape: Shape,
    pub count: u32,
}

impl Alias {
    pub(crate) fn read(table: &[u8], index: usize) -> Alias {
        let field = |field: usize| word(table, index * ALIAS + field * 4);
        Alias { number: field(0), container: field(1), offset: field(2), shape: field(3), count: field(4) }
    }
}

/// The aliases of one walk.
#[derive(Default)]
pub(crate) struct Interior {
    containers: HashMap<Met, Met>,
    /// Those that were met, by rising number.
    aliases: Vec<Alias>,
    /// What is no part of something else, by address.
    whole: Vec<Met>,
}

impl Interior {
    /// What of all that was met lies inside of something else.
    pub(crate) fn find(plan: &Plan, met: &[Met]) -> Result<Interior> {
        let end = |met: &Met| u64::from(met.at) + plan.bytes(*met);
        let is_text = |met: &Met| plan.layouts[met.shape() as usize].is_text;
        let mut sorted: Vec<Met> = met.iter().filter(|met| met.count() > 0 && !is_text(met)).copied().collect();
        sorted.sort_unstable_by_key(|met| (met.at, std::cmp::Reverse(plan.bytes(*met)), plan.depth(*met)));
        let (mut containers, mut whole) = (HashMap::new(), Vec::new());
        let mut around: Option<Met> = None;
        for met in sorted {
            let Some(container) = around.filter(|around| u64::from(met.at) < end(around)) else {
                around = Some(met);
                whole.push(met);
                continue;
            };
            if !is_part(&plan.layouts, container, met.at - container.at, met) {
                let text = format!(
                    "{} overlaps {} without being a described part of it",
                    plan.in_words(met),
                    plan.in_words(container)
                );
                return Err(Error::new(MPI_ERR_TYPE, text));
            }
            containers.insert(met, container);
        }
        Ok(Interior { containers, aliases: Vec::new(), whole })
    }

    /// Whether nothing is part of something else, as far as references other than weak ones lead.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.containers.is_empty()
    }

    /// What has `met` as a part of it, which no reference but weak ones leads to.
    pub(crate) fn around(&self, plan: &Plan, met: Met) -> Option<Met> {
        let behind = self.whole.partition_point(|whole| whole.at <= met.at);
        let around = *self.whole[..behind].last()?;
        is_part(&plan.layouts, around, met.at - around.at, met).then_some(around)
    }

    /// What an object is part of.
    pub(crate) fn container(&self, met: Met) -> Option<Met> {
        self.containers.get(&met).copied()
    }

    /// Notes that the object `number` is part of the object `container`, which is `around`.
    pub(crate) fn set(&mut self, number: u32, met: Met, container: u32, around: Met) {
        let offset = met.at - around.at;
        self.aliases.push(Alias { number, container, offset, shape: around.shape(), count: around.count() });
    }

    pub(crate) fn is_alias(&self, number: u32) -> bool {
        self.aliases.binary_search_by_key(&number, |alias| alias.number).is_ok()
    }

    /// Puts the aliases behind the header of an image, and gives them.
    pub(crate) fn write(self, image: &mut Vec<u8>) -> Vec<Alias> {
        let mut table = vec![0; self.aliases.len() * ALIAS];
        for (index, alias) in self.aliases.iter().enumerate() {
            let fields = [alias.number, alias.container, alias.offset, alias.shape, alias.count];
            for (field, value) in fields.into_iter().enumerate() {
                put_word(&mut table, index * ALIAS + field * 4, value);
            }
        }
        image.splice(HEADER..HEADER, table);
        self.aliases
    }
}

/// Whether at `offset` of `container` lies what `part` says, as the descriptions have it.
pub(crate) fn is_part(layouts: &[Layout], container: Met, offset: u32, part: Met) -> bool {
    let (mut shape, mut count, mut offset) = (container.shape(), container.count(), offset);
    loop {
        let layout = &layouts[shape as usize];
        let (index, rest) = (offset / layout.size, offset % layout.size);
        if rest == 0 && shape == part.shape() && u64::from(index) + u64::from(part.count()) <= u64::from(count) {
            return true;
        }
        let inside = layout.steps.iter().find_map(|step| match step.action {
            Action::Inline { count, to } if step.offset <= rest => {
                let bytes = u64::from(count) * u64::from(layouts[to as usize].size);
                (u64::from(rest - step.offset) < bytes).then_some((to, count, rest - step.offset))
            }
            _ => None,
        });
        match inside {
            Some(inside) if index < count => (shape, count, offset) = inside,
            _ => return false,
        }
    }
}
