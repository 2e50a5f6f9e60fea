//! The plans of one rank: made when a type is first used, and kept while there is room.
//!
//! Every root has its own, with copies of all that can be reached from it; so a ring of types has as many long plans as
//! it has types. What is kept is bounded, and so is what else still uses plans: requests that are not complete, and
//! messages that nobody has taken.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Weak};

use rankine_abi::MPI_ERR_NO_MEM;
use rankine_guest::{Account, Charge, Cost, Result};

use crate::error;
use crate::plan::{Plan, Step};

/// Steps of all plans that are kept, and of all others that are still in use.
const MAX_STEPS: usize = 1 << 20;
/// Bytes that a step takes.
const STEP: usize = size_of::<Step>();

/// The plans of a rank's types.
pub(crate) struct Plans {
    account: Arc<Account>,
    kept: HashMap<u32, Arc<Plan>>,
    /// Handles of those that are kept, the oldest first, and what each weighs.
    ages: VecDeque<(u32, usize)>,
    weight: usize,
    /// Those that are not kept any more, while something uses them.
    others: Vec<(Weak<Plan>, usize)>,
}

impl Plans {
    pub(crate) fn new(account: &Arc<Account>) -> Plans {
        Plans { account: account.clone(), kept: HashMap::new(), ages: VecDeque::new(), weight: 0, others: Vec::new() }
    }

    #[inline]
    pub(crate) fn get(&self, handle: u32) -> Option<Arc<Plan>> {
        self.kept.get(&handle).cloned()
    }

    /// Keeps a new plan, instead of the oldest ones if there are many.
    pub(crate) fn keep(&mut self, handle: u32, mut plan: Plan) -> Result<Arc<Plan>> {
        let weight = plan.weight();
        while self.weight + weight > MAX_STEPS
            && let Some(&(oldest, _)) = self.ages.front()
        {
            self.forget(oldest);
        }
        self.others.retain(|(plan, _)| plan.strong_count() > 0);
        let in_use: usize = self.others.iter().map(|(_, weight)| weight).sum();
        if in_use > MAX_STEPS {
            let text = format!(
                "messages and requests that are not complete use descriptions with {in_use} fields; at most {MAX_STEPS} may be in use"
            );
            return Err(error(MPI_ERR_NO_MEM, text));
        }
        plan.charge = self.charge(weight)?;
        let plan = Arc::new(plan);
        self.kept.insert(handle, plan.clone());
        self.ages.push_back((handle, weight));
        self.weight += weight;
        Ok(plan)
    }

    /// Charges so many steps, instead of the oldest plans if need be.
    fn charge(&mut self, weight: usize) -> Result<Charge> {
        loop {
            match (self.account.charge(weight * STEP, Cost::Plans), self.ages.front()) {
                (Ok(charge), _) => return Ok(charge),
                (Err(error), None) => return Err(error),
                (Err(_), Some(&(oldest, _))) => self.forget(oldest),
            }
        }
    }

    /// Keeps the plan of a type no longer.
    pub(crate) fn forget(&mut self, handle: u32) {
        let Some(at) = self.ages.iter().position(|(of, _)| *of == handle) else { return };
        let (Some((_, weight)), Some(plan)) = (self.ages.remove(at), self.kept.remove(&handle)) else {
            unreachable!("both have every plan")
        };
        self.weight -= weight;
        if Arc::strong_count(&plan) > 1 {
            self.others.push((Arc::downgrade(&plan), weight));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Types;

    /// A plan of `1 << 16` steps, each twice, and some layouts.
    fn plan(types: &mut Types) -> Plan {
        let int = rankine_abi::Datatype::INT32_T.0 as i32;
        let mut last = int;
        for _ in 0..16 {
            let ty = types.declare("ring", 4096 * 4, 4).unwrap();
            let field = |index: i32| ("".into(), [1, index * 4, last, 1, -1, -1, -1, 0]);
            types.define(ty, (0..4096).map(field).collect()).unwrap();
            last = ty as i32;
        }
        Plan::new(types, last as u32).unwrap()
    }

    #[test]
    fn the_oldest_make_room_and_those_in_use_are_counted() {
        let account = Account::new(None);
        let mut plans = Plans::new(&account);
        let copy = || plan(&mut Types::new(&account));
        assert!((1 << 17..1 << 18).contains(&copy().weight()));
        let mut used = Vec::new();
        for handle in 0..12 {
            used.push(plans.keep(handle, copy()).unwrap());
        }
        assert!(plans.weight <= MAX_STEPS && plans.get(0).is_none() && plans.get(11).is_some());
        let refused = (12..24).find_map(|handle| plans.keep(handle, copy()).map(|plan| used.push(plan)).err());
        assert!(refused.expect("too many are in use").to_string().contains("1048576 may be in use"));
        used.clear();
        plans.keep(30, copy()).unwrap();
        plans.forget(30);
        assert!(plans.others.is_empty() && plans.get(30).is_none());
    }

    #[test]
    fn what_plans_take_is_charged_while_somebody_has_them() {
        let account = Account::new(Some(64 << 20));
        let mut plans = Plans::new(&account);
        let copy = || plan(&mut Types::new(&Account::new(None)));
        let used = plans.keep(0, copy()).unwrap();
        let bytes = account.used();
        assert!(bytes > 1 << 20);
        for handle in 1..12 {
            plans.keep(handle, copy()).unwrap();
        }
        assert!(plans.get(0).is_none() && account.used() <= 65 << 20);
        drop(plans);
        assert_eq!(account.used(), bytes);
        drop(used);
        assert_eq!(account.used(), 0);
    }
}
