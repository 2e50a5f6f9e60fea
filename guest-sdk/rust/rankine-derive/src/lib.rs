//! `#[derive(Plain)]`, and `#[derive(Transportable)]`: the code that lists a value's parts as records, and makes values
//! of records.
//!
//! A record is laid out as a C struct of the fields that travel, an enum's as its variant's number and then the
//! variant's fields. Offsets are constants that follow from the fields' types; this macro only writes down the sums. Read
//! `layout.rs` first; what the generated code calls is in the crate `rankine`.

mod layout;
mod plain;

use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::{Data, DeriveInput, Error, Fields, GenericParam, Result, parse_macro_input};

use layout::Record;

/// Implements `rankine::Transportable`.
///
/// Fields marked `#[transport]` travel; the others arrive as `Default::default()`. `#[transport]` on the type itself
/// marks all of its fields.
#[proc_macro_derive(Transportable, attributes(transport))]
pub fn derive_transportable(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand(&input).unwrap_or_else(Error::into_compile_error).into()
}

/// Implements `rankine::Plain` for a struct whose fields are plain and leave no gaps.
#[proc_macro_derive(Plain)]
pub fn derive_plain(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    plain::expand(&input).unwrap_or_else(Error::into_compile_error).into()
}

fn expand(input: &DeriveInput) -> Result<Tokens> {
    let all = layout::is_marked(&input.attrs)?;
    let body = match &input.data {
        Data::Struct(data) => structure(&data.fields, all)?,
        Data::Enum(data) => {
            let variants = data.variants.iter().map(|variant| {
                let all = all || layout::is_marked(&variant.attrs)?;
                Ok((&variant.ident, Record::new(&variant.fields, all, quote!(4))?))
            });
            enumeration(&variants.collect::<Result<Vec<_>>>()?)
        }
        Data::Union(data) => {
            return Err(Error::new_spanned(
                data.union_token,
                "which field of a union is meant, nobody knows: use an enum",
            ));
        }
    };
    let name = &input.ident;
    let mut generics = input.generics.clone();
    for parameter in &mut generics.params {
        if let GenericParam::Type(parameter) = parameter {
            parameter.bounds.push(syn::parse_quote!(::rankine::Transportable));
        }
    }
    let (parameters, arguments, conditions) = generics.split_for_impl();
    Ok(quote! {
        // SAFETY: all functions are written from one layout, in the order of its offsets.
        #[automatically_derived]
        #[allow(unused_variables, unused_mut, unused_assignments, clippy::all)]
        unsafe impl #parameters ::rankine::Transportable for #name #arguments #conditions { #body }
    })
}

/// What structs and enums have in common: they lie inline in others.
fn inline() -> Tokens {
    quote! {
        fn place(
            types: &mut ::rankine::derived::Types,
            fields: &mut ::rankine::derived::Fields,
            place: ::rankine::derived::Place,
        ) {
            types.place_inline::<Self>(fields, place);
        }
    }
}

fn structure(fields: &Fields, all: bool) -> Result<Tokens> {
    let record = Record::new(fields, all, quote!(0))?;
    let (size, align) = (record.end(), record.align());
    let (describe, check, read) = (record.describe(&quote!()), record.check(), record.read(&quote!(Self)));
    let write = record.write();
    let pattern = record.pattern(&quote!(Self));
    let inline = inline();
    Ok(quote! {
        const SIZE: usize = ::rankine::derived::after(::rankine::derived::largest(&[#size]), Self::ALIGN);
        const ALIGN: usize = #align;

        fn fields(types: &mut ::rankine::derived::Types, fields: &mut ::rankine::derived::Fields) { #describe }
        #inline
        fn write(&self, image: &mut ::rankine::derived::Writer, at: usize) {
            let #pattern = self;
            #write
        }
        fn check(
            image: &::rankine::derived::Reader<'_>,
            at: usize,
        ) -> ::core::result::Result<(), ::rankine::derived::Invalid> {
            #check
            ::core::result::Result::Ok(())
        }
        unsafe fn read(image: &mut ::rankine::derived::Reader<'_>, at: usize) -> Self {
            // SAFETY: the record was checked and is read for the first time, so each of its parts is as well.
            unsafe { #read }
        }
    })
}

fn enumeration(variants: &[(&syn::Ident, Record)]) -> Tokens {
    let ends = variants.iter().map(|(_, record)| record.end());
    let aligns = variants.iter().map(|(_, record)| record.align());
    let numbered = || variants.iter().enumerate().map(|(number, (name, record))| (number as i32, name, record));
    let describe = numbered().map(|(number, _, record)| record.describe(&quote!(.when(0, #number))));
    let write = numbered().map(|(number, name, record)| {
        let (pattern, write) = (record.pattern(&quote!(Self::#name)), record.write());
        quote!(#pattern => { image.put(at, &#number.to_le_bytes()); #write })
    });
    let check = numbered().map(|(number, _, record)| {
        let check = record.check();
        quote!(#number => { #check })
    });
    let read = numbered().map(|(number, name, record)| {
        let read = record.read(&quote!(Self::#name));
        quote!(#number => #read)
    });
    let inline = inline();
    quote! {
        const SIZE: usize = ::rankine::derived::after(::rankine::derived::largest(&[4, #(#ends),*]), Self::ALIGN);
        const ALIGN: usize = ::rankine::derived::largest(&[4, #(#aligns),*]);

        fn fields(types: &mut ::rankine::derived::Types, fields: &mut ::rankine::derived::Fields) { #(#describe)* }
        #inline
        fn write(&self, image: &mut ::rankine::derived::Writer, at: usize) {
            match self { #(#write)* }
        }
        fn check(
            image: &::rankine::derived::Reader<'_>,
            at: usize,
        ) -> ::core::result::Result<(), ::rankine::derived::Invalid> {
            match image.word(at) as i32 {
                #(#check)*
                _ => return ::core::result::Result::Err(::rankine::derived::Invalid("an enum has a variant that its type does not have")),
            }
            ::core::result::Result::Ok(())
        }
        unsafe fn read(image: &mut ::rankine::derived::Reader<'_>, at: usize) -> Self {
            // SAFETY: the record was checked and is read for the first time, so the parts of its variant are as well.
            unsafe {
                match image.word(at) as i32 {
                    #(#read,)*
                    _ => ::core::unreachable!("`check` has seen it"),
                }
            }
        }
    }
}
