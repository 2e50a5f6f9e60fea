//! A type as it is in a file whose representation gives its basic elements other sizes (MPI-5.0 §14.5).

use std::collections::HashMap;
use std::rc::Rc;

use super::{Bounds, Combiner, Contents, Type};
use crate::error::Result;
use crate::layout::Layout;

impl Type {
    /// The type made in the same way of predefined types that have so many bytes.
    pub(crate) fn with_sizes(old: &Rc<Type>, size: &dyn Fn(&Type) -> Result<u64>) -> Result<Rc<Type>> {
        Resizing { size, known: HashMap::new() }.resize(old)
    }

    /// A predefined type with another size.
    fn sized(&self, bytes: u64) -> Result<Type> {
        let bounds = Bounds { lb: 0, ub: bytes as i64, marked: false };
        let contents =
            Contents { combiner: self.contents.combiner, named: self.contents.named, ..Contents::new(Combiner::Named) };
        Type::new(Layout::block(0, bytes)?, self.signature.clone(), bounds, 1, contents)
    }
}

struct Resizing<'a> {
    size: &'a dyn Fn(&Type) -> Result<u64>,
    /// What was made of types that occur more than once.
    known: HashMap<*const Type, Rc<Type>>,
}

impl Resizing<'_> {
    fn resize(&mut self, old: &Rc<Type>) -> Result<Rc<Type>> {
        if let Some(known) = self.known.get(&Rc::as_ptr(old)) {
            return Ok(known.clone());
        }
        let new = self.make(old)?;
        self.known.insert(Rc::as_ptr(old), new.clone());
        Ok(new)
    }

    fn make(&mut self, old: &Rc<Type>) -> Result<Rc<Type>> {
        let Contents { combiner, types, arguments, .. } = old.contents();
        let types = types.iter().map(|ty| self.resize(ty)).collect::<Result<Vec<_>>>()?;
        let list = |index: usize| arguments.get(index).map_or(&[][..], |(_, values)| values);
        let number = |index: usize, at: usize| list(index).get(at).copied().unwrap_or(0);
        let ints = |index: usize| list(index).iter().map(|&value| value as i32).collect::<Vec<_>>();
        let Some(inner) = types.first() else {
            // A predefined type, or one without members.
            return if combiner.has_members() { Ok(old.clone()) } else { Ok(Rc::new(old.sized((self.size)(old)?)?)) };
        };
        Ok(Rc::new(match combiner {
            Combiner::Named | Combiner::F90Real | Combiner::F90Complex | Combiner::F90Integer => {
                unreachable!("these are made of no types")
            }
            Combiner::Dup => Type::dup(inner)?,
            Combiner::Contiguous => Type::contiguous(number(0, 0), inner)?,
            Combiner::Vector => Type::vector(number(0, 0), number(0, 1), number(0, 2), inner)?,
            Combiner::Hvector => Type::hvector(number(0, 0), number(0, 1), number(1, 0), inner)?,
            Combiner::Indexed => Type::indexed(list(1), list(2), inner)?,
            Combiner::Hindexed => Type::hindexed(list(1), list(2), inner)?,
            Combiner::IndexedBlock => Type::indexed_block(number(0, 1), list(1), inner)?,
            Combiner::HindexedBlock => Type::hindexed_block(number(0, 1), list(1), inner)?,
            Combiner::Struct => Type::structure(list(1), list(2), &types)?,
            Combiner::Subarray => Type::subarray(list(1), list(2), list(3), number(4, 0) as i32, inner)?,
            Combiner::Darray => {
                let [size, rank] = [0, 1].map(|at| number(0, at) as i32);
                Type::darray(size, rank, list(1), &ints(2), &ints(3), &ints(4), number(5, 0) as i32, inner)?
            }
            Combiner::Resized => Type::resized(inner, number(0, 0), number(0, 1))?,
        }))
    }
}

impl Combiner {
    /// Whether it makes types of others.
    fn has_members(self) -> bool {
        !matches!(self, Combiner::Named | Combiner::F90Real | Combiner::F90Complex | Combiner::F90Integer)
    }
}

#[cfg(test)]
mod tests {
    use rankine_abi::{Datatype, MPI_ORDER_C};

    use crate::datatype::*;
    use crate::testing::turns;
    use crate::world::Options;

    #[test]
    fn types_are_made_again() {
        let (results, _) = turns(1, Options::default(), async |r| {
            let int = Datatype::INT;
            let vector = type_vector(r, 3, 2, 4, int).unwrap();
            let made = [
                type_dup(r, vector).await.unwrap(),
                type_contiguous(r, 5, vector).unwrap(),
                vector,
                type_create_hvector(r, 2, 3, 100, int).unwrap(),
                type_indexed(r, 2, &[1, 2], &[4, 9], int).unwrap(),
                type_create_hindexed(r, 2, &[1, 2], &[4, 90], int).unwrap(),
                type_create_indexed_block(r, 2, 3, &[4, 9], int).unwrap(),
                type_create_hindexed_block(r, 2, 3, &[4, 90], int).unwrap(),
                type_create_struct(r, 2, &[1, 2], &[0, 8], &[int, Datatype::DOUBLE]).unwrap(),
                type_create_subarray(r, 2, &[4, 5], &[2, 3], &[1, 1], MPI_ORDER_C, int).unwrap(),
                type_create_resized(r, vector, -4, 100).unwrap(),
            ];
            for datatype in made {
                let old = r.any_datatype(datatype).unwrap();
                let same = Type::with_sizes(&old, &|leaf| Ok(leaf.size())).unwrap();
                assert!(same.layout().is_same(old.layout()), "{old:?}");
                assert_eq!((same.lb(), same.extent()), (old.lb(), old.extent()));
                let wide = Type::with_sizes(&old, &|leaf| Ok(2 * leaf.size())).unwrap();
                assert_eq!(wide.size(), 2 * old.size());
            }
        });
        assert_eq!(results, [Some(())]);
    }
}
