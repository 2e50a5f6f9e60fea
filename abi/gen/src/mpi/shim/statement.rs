//! The statements of a shim, which are printed last.

use std::fmt;

/// A statement.
pub(super) enum Statement {
    /// `let mut name = value;`
    Let { name: String, mutable: bool, value: String },
    /// `value?;`
    Check(String),
    /// `value;`
    Do(String),
    /// `if condition { value?; }`
    CheckIf { condition: String, value: String },
    /// `if condition { return value; }`
    ReturnIf { condition: String, value: String },
    /// `value`, the last.
    Give(String),
}

impl Statement {
    pub(super) fn bind(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self::Let { name: name.into(), mutable: false, value: value.into() }
    }

    pub(super) fn room(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self::Let { name: name.into(), mutable: true, value: value.into() }
    }
}

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Let { name, mutable, value } => {
                write!(f, "let {}{name} = {value};", if *mutable { "mut " } else { "" })
            }
            Self::Check(value) => write!(f, "{value}?;"),
            Self::Do(value) => write!(f, "{value};"),
            Self::CheckIf { condition, value } => write!(f, "if {condition} {{\n    {value}?;\n}}"),
            Self::ReturnIf { condition, value } => write!(f, "if {condition} {{\n    return {value};\n}}"),
            Self::Give(value) => write!(f, "{value}"),
        }
    }
}
