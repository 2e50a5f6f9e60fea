//! The library's functions as types: where each is looked up, and how it is called.

use super::Symbol;

/// What a function of the library takes and gives.
pub(crate) trait Signature: Symbol {
    /// Its arguments, in a tuple.
    type Arguments;
    /// What it returns.
    type Output;

    /// Calls it.
    ///
    /// # Safety
    /// The arguments are what C would ask of them: pointers lead to as much as the function touches, and handles are
    /// the library's.
    unsafe fn call(function: Self::Function, arguments: Self::Arguments) -> Self::Output;
}

/// Makes a type of each function; the rows are sorted as [`rankine_abi::FUNCTIONS`].
macro_rules! symbols {
    ($($name:ident($($parameter:ident: $type:ty),*) -> $output:ty;)*) => {
        /// The position of each.
        #[allow(non_camel_case_types, dead_code)] // MPI's names.
        enum Index {
            $($name),*
        }

        /// Their names, in this order.
        #[cfg(test)]
        pub(crate) const NAMES: &[&str] = &[$(stringify!($name)),*];

        /// What stands in a function's place where a rank has threads that call at once.
        pub(crate) fn without_turn(index: usize) -> *mut c_void {
            [$($name::without_turn as *mut c_void),*][index]
        }

        $(
            // Some functions are answered without the library.
            #[allow(non_camel_case_types, dead_code, missing_docs)]
            pub struct $name;

            impl crate::library::Symbol for $name {
                const INDEX: usize = Index::$name as usize;
                type Function = unsafe extern "C" fn($($type),*) -> $output;
            }

            impl $name {
                unsafe extern "C" fn without_turn($($parameter: $type),*) -> $output {
                    let own = crate::library::shared::own::<$name>();
                    // SAFETY: whoever calls this has promised for its arguments what the library's function demands, and
                    // they stay so while other threads call: see `call/threads.rs`.
                    crate::call::threads::without_turn(|| unsafe { own($($parameter),*) })
                }
            }

            impl crate::library::symbol::Signature for $name {
                type Arguments = ($($type,)*);
                type Output = $output;

                #[inline(always)]
                unsafe fn call(function: Self::Function, ($($parameter,)*): Self::Arguments) -> $output {
                    // SAFETY: the arguments are right for this function of the library's, as `Signature::call` demands.
                    unsafe { function($($parameter),*) }
                }
            }
        )*
    };
}

#[cfg(test)]
mod tests {
    #[test]
    fn symbols_are_in_the_order_of_the_functions() {
        let names: Vec<&str> = rankine_abi::FUNCTIONS.iter().map(|function| function.name).collect();
        assert_eq!(crate::generated::symbols::NAMES, names);
    }
}
