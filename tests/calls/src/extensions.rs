//! The functions that Rankine adds to MPI's: object graphs, mathematics in the host, and what the page shows.

use rankine_abi::ValueType;
use rankine_gen::functions::Class;

use crate::catalogue::{Callee, Origin, What};

/// Each with a word for each parameter, which [`parameter`] explains.
const OBJECTS: &[(&str, &str)] = &[
    ("Rankine_Type_create", "text count count tool+"),
    ("Rankine_Type_define", "tool count numbers"),
    ("Rankine_Type_free", "tool+"),
    ("Rankine_Set_allocator", "function function"),
    ("Rankine_Set_limits", "long long long"),
    ("Rankine_Get_count", "numbers numbers"),
    ("Rankine_Get_objects", "numbers numbers"),
    ("Rankine_Free", "buffer count tool"),
    ("Rankine_Send", "buffer count tool rank tag comm"),
    ("Rankine_Recv", "buffer count tool rank tag comm numbers"),
    ("Rankine_Isend", "buffer count tool rank tag comm request+"),
    ("Rankine_Irecv", "buffer count tool rank tag comm request+"),
    ("Rankine_Probe", "rank tag comm numbers"),
    ("Rankine_Iprobe", "rank tag comm numbers numbers"),
    ("Rankine_Bcast", "buffer count tool rank comm"),
    ("Rankine_Sendrecv", "buffer count rank tag buffer count rank tag tool comm numbers"),
    ("Rankine_Scatter", "buffer numbers numbers tool buffer count numbers rank comm"),
    ("Rankine_Gather", "buffer count tool buffer count numbers rank comm"),
    ("Rankine_Allgather", "buffer count tool buffer count numbers comm"),
    ("Rankine_Alltoall", "buffer numbers numbers tool buffer count numbers comm"),
    ("Rankine_Seal", "buffer count count count tool"),
    ("Rankine_Open", "buffer count tool buffer count numbers numbers"),
];

/// Without the letter of their numbers.
const MATRICES: &[(&str, &str)] = &[
    ("gemm", "letter letter order order order factor matrix order matrix order factor matrix order"),
    ("symm", "letter letter order order factor matrix order matrix order factor matrix order"),
    ("hemm", "letter letter order order factor matrix order matrix order factor matrix order"),
    ("syrk", "letter letter order order factor matrix order factor matrix order"),
    ("herk", "letter letter order order factor matrix order factor matrix order"),
    ("syr2k", "letter letter order order factor matrix order matrix order factor matrix order"),
    ("her2k", "letter letter order order factor matrix order matrix order factor matrix order"),
    ("trmm", "letter letter letter letter order order factor matrix order matrix order"),
    ("trsm", "letter letter letter letter order order factor matrix order matrix order"),
    ("getrf", "order order matrix order matrix matrix"),
    ("potrf", "letter order matrix order matrix"),
];

const TRANSFORMS: &[(&str, &str)] = &[
    ("dft_c2c", "axis-count axes axis-count axes matrix matrix sign"),
    ("dft_z2z", "axis-count axes axis-count axes matrix matrix sign"),
    ("dft_s2c", "axis-count axes axis-count axes matrix matrix"),
    ("dft_d2z", "axis-count axes axis-count axes matrix matrix"),
    ("dft_c2s", "axis-count axes axis-count axes matrix matrix"),
    ("dft_z2d", "axis-count axes axis-count axes matrix matrix"),
];

const VIEW: &[(&str, &str)] = &[
    ("Rankine_View_on", ""),
    ("Rankine_View_waits", ""),
    ("Rankine_View_field", "text long axis-count numbers numbers numbers numbers datatype buffer"),
    (
        "Rankine_View_arrows",
        "text long axis-count numbers numbers numbers numbers datatype buffer buffer buffer buffer",
    ),
    ("Rankine_View_points", "text long count axis-count count factor datatype buffer buffer numbers"),
    ("Rankine_View_curve", "text real real"),
    ("Rankine_View_scale", "text text real real"),
    ("Rankine_View_axis", "text axis text text real real"),
    ("Rankine_View_text", "text text"),
    ("Rankine_View_declare", "text axis-count real real real real count texts numbers"),
    ("Rankine_View_take", "count numbers numbers"),
];

/// All of them.
pub(crate) fn all() -> Vec<Callee> {
    let mut all: Vec<Callee> = OBJECTS.iter().map(|(name, words)| function("rankine", name, words, true)).collect();
    for (name, words) in MATRICES {
        // Those of Hermitian matrices are there for complex numbers alone.
        let kinds: &[&str] = if name.starts_with("he") { &["c", "z"] } else { &["s", "d", "c", "z"] };
        all.extend(kinds.iter().map(|kind| function("rankine_math", &format!("{kind}{name}"), words, false)));
    }
    all.extend(TRANSFORMS.iter().map(|(name, words)| function("rankine_math", name, words, false)));
    all.extend(VIEW.iter().map(|(name, words)| function("rankine_view", name, words, false)));
    all
}

fn function(module: &'static str, name: &str, words: &str, waits: bool) -> Callee {
    let parameters: Vec<_> = words.split_whitespace().map(parameter).collect();
    Callee {
        name: name.into(),
        origin: Origin::Module(module),
        as_wide_as_addresses: vec![false; parameters.len()],
        parameters,
        result: Some(ValueType::I32),
        waits,
        in_local: true,
        returns_code: false,
    }
}

fn parameter(word: &str) -> (ValueType, What) {
    let what = match word {
        "text" => What::Text,
        "texts" => What::Texts,
        "count" => What::Count,
        "long" => return (ValueType::I64, What::Count),
        "real" => return (ValueType::F64, What::Real),
        "tool" => What::Tool,
        "tool+" => What::Tools,
        "numbers" => What::Numbers(4),
        "function" => What::Function("allocator".into()),
        "buffer" | "matrix" => What::Buffer,
        "rank" => What::Rank,
        "tag" => What::Tag,
        "comm" => What::Handle(Class::Comm),
        "datatype" => What::Handle(Class::Datatype),
        "request+" => What::Handles(Class::Request),
        "letter" => What::Letter,
        "order" => What::Order,
        "factor" => What::Factor,
        "axes" => What::Axes,
        "axis-count" => What::Among(&[1, 1, 2, 2, 3, 0]),
        "axis" => What::Among(&[0x78, 0x79, 0x7a]),
        "sign" => What::Among(&[-1, 1]),
        other => unreachable!("{other} stands in no list above"),
    };
    (ValueType::I32, what)
}
