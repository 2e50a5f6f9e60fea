//! The fields of a struct or variant, and where in a record they lie.

use proc_macro2::TokenStream as Tokens;
use quote::{format_ident, quote};
use syn::{Attribute, Error, Fields, Ident, Member, Meta, Result, Type};

/// Whether something is marked `#[transport]`.
pub fn is_marked(attributes: &[Attribute]) -> Result<bool> {
    let mut marked = false;
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("transport")) {
        match attribute.meta {
            Meta::Path(_) => marked = true,
            _ => return Err(Error::new_spanned(attribute, "#[transport] takes no arguments")),
        }
    }
    Ok(marked)
}

/// A field.
struct Part {
    member: Member,
    /// What it is called inside of the functions.
    local: Ident,
    ty: Type,
    travels: bool,
}

/// The fields of a struct or variant, and where they lie.
pub struct Record {
    parts: Vec<Part>,
    /// Where the first field may begin.
    start: Tokens,
}

impl Record {
    /// Looks at the fields; `all` of them travel, or those that are marked.
    pub fn new(fields: &Fields, all: bool, start: Tokens) -> Result<Record> {
        let part = |(index, field): (usize, &syn::Field)| {
            let member = field.ident.clone().map_or_else(|| Member::from(index), Member::from);
            let travels = is_marked(&field.attrs)? || all;
            Ok(Part { member, local: format_ident!("part_{index}"), ty: field.ty.clone(), travels })
        };
        Ok(Record { parts: fields.iter().enumerate().map(part).collect::<Result<_>>()?, start })
    }

    fn travelling(&self) -> impl Iterator<Item = &Part> {
        self.parts.iter().filter(|part| part.travels)
    }

    /// The bytes up to the end of the last field.
    pub fn end(&self) -> Tokens {
        let mut end = self.start.clone();
        for Part { ty, .. } in self.travelling() {
            end = quote! {
                ::rankine::derived::after(#end, <#ty as ::rankine::Transportable>::ALIGN)
                    + <#ty as ::rankine::Transportable>::SIZE
            };
        }
        end
    }

    /// The largest alignment of a field.
    pub fn align(&self) -> Tokens {
        let types = self.travelling().map(|part| &part.ty);
        quote!(::rankine::derived::largest(&[#(<#types as ::rankine::Transportable>::ALIGN),*]))
    }

    /// Statements for every field that travels, with `offset` as its place.
    fn each(&self, statement: impl Fn(&Part) -> Tokens) -> Tokens {
        let start = &self.start;
        let statements = self.travelling().map(|part| {
            let (ty, statement) = (&part.ty, statement(part));
            quote! {
                let offset = ::rankine::derived::after(end, <#ty as ::rankine::Transportable>::ALIGN);
                #statement
                end = offset + <#ty as ::rankine::Transportable>::SIZE;
            }
        });
        quote!(let mut end: usize = #start; #(#statements)*)
    }

    /// Describes the fields; `when` is appended to each place.
    pub fn describe(&self, when: &Tokens) -> Tokens {
        let each = self.each(|Part { ty, member, .. }| {
            let name = match member {
                Member::Named(name) => format!("{name}\0"),
                Member::Unnamed(index) => format!("{}\0", index.index),
            };
            quote! {
                let place = ::rankine::derived::Place::new(offset, #name)#when;
                <#ty as ::rankine::Transportable>::place(types, fields, place);
            }
        });
        quote!({ #each })
    }

    /// Takes a value apart.
    pub fn pattern(&self, path: &Tokens) -> Tokens {
        let (members, locals) = self.names();
        quote!(#path { #(#members: #locals),* })
    }

    fn names(&self) -> (Vec<&Member>, Vec<&Ident>) {
        self.parts.iter().map(|part| (&part.member, &part.local)).unzip()
    }

    /// Writes what the pattern took apart.
    pub fn write(&self) -> Tokens {
        self.each(
            |Part { ty, local, .. }| quote!(<#ty as ::rankine::Transportable>::write(#local, image, at + offset);),
        )
    }

    /// Checks the fields.
    pub fn check(&self) -> Tokens {
        self.each(|Part { ty, .. }| quote!(<#ty as ::rankine::Transportable>::check(image, at + offset)?;))
    }

    /// Makes a value.
    pub fn read(&self, path: &Tokens) -> Tokens {
        let read = self.each(
            |Part { ty, local, .. }| quote!(let #local = <#ty as ::rankine::Transportable>::read(image, at + offset);),
        );
        let left = self
            .parts
            .iter()
            .filter(|part| !part.travels)
            .map(|Part { ty, local, .. }| quote!(let #local: #ty = ::core::default::Default::default();));
        let (members, locals) = self.names();
        quote!({ #read #(#left)* #path { #(#members: #locals),* } })
    }
}
