//! Things that are found by the name that a guest gave them. They are never removed, so their numbers stay.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use rankine_abi::MPI_ERR_NO_MEM;
use rankine_guest::{Error, Result};

pub(crate) struct Named<T> {
    /// What they are, for errors.
    what: &'static str,
    most: usize,
    things: RwLock<Things<T>>,
}

struct Things<T> {
    numbers: HashMap<String, usize>,
    things: Vec<(String, Arc<T>)>,
}

impl<T> Things<T> {
    fn find(&self, name: &str) -> Option<(usize, Arc<T>)> {
        let &number = self.numbers.get(name)?;
        Some((number, self.things[number].1.clone()))
    }
}

impl<T> Named<T> {
    pub fn new(what: &'static str, most: usize) -> Named<T> {
        Named { what, most, things: RwLock::new(Things { numbers: HashMap::new(), things: Vec::new() }) }
    }

    /// The thing of this name and its number; one that is made now, if there is none and room for it.
    pub fn find_or(&self, name: &str, make: impl FnOnce() -> T) -> Result<(usize, Arc<T>)> {
        let known = self.things.read().unwrap_or_else(PoisonError::into_inner).find(name);
        if let Some(known) = known {
            return Ok(known);
        }
        let mut things = self.things.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = things.find(name) {
            return Ok(known);
        }
        let number = things.things.len();
        if number == self.most {
            let text = format!("there is no room for more: {} {} have been published already", self.most, self.what);
            return Err(Error::new(MPI_ERR_NO_MEM, text));
        }
        let thing = Arc::new(make());
        things.numbers.insert(name.to_owned(), number);
        things.things.push((name.to_owned(), thing.clone()));
        Ok((number, thing))
    }

    /// All of them, in the order of their numbers.
    pub fn all(&self) -> Vec<(String, Arc<T>)> {
        self.things.read().unwrap_or_else(PoisonError::into_inner).things.clone()
    }

    /// The thing with this number.
    pub fn get(&self, number: usize) -> Option<Arc<T>> {
        self.things.read().unwrap_or_else(PoisonError::into_inner).things.get(number).map(|(_, thing)| thing.clone())
    }
}
