//! `#[derive(Plain)]`: a struct of plain fields that fill it.

use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::{Data, DeriveInput, Error, Result};

pub(crate) fn expand(input: &DeriveInput) -> Result<Tokens> {
    let Data::Struct(data) = &input.data else {
        return Err(Error::new_spanned(&input.ident, "any bytes are to be a value, which only a struct can promise"));
    };
    if let Some(generic) = input.generics.params.first() {
        return Err(Error::new_spanned(generic, "whether a generic type has padding is not known here"));
    }
    let name = &input.ident;
    let types: Vec<_> = data.fields.iter().map(|field| &field.ty).collect();
    Ok(quote! {
        const _: () = {
            const fn plain<T: ::rankine::Plain>() -> usize {
                ::core::mem::size_of::<T>()
            }
            assert!(
                ::core::mem::size_of::<#name>() == 0 #(+ plain::<#types>())*,
                "a plain struct has no padding: order its fields by size, or fill the gap with a field"
            );
        };
        // SAFETY: all fields are plain, and together they are as large as the struct, so there is no padding.
        #[automatically_derived]
        unsafe impl ::rankine::Plain for #name {}
    })
}
