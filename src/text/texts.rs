//! The macro that keeps the texts of a module in one table.

/// Declares functions that fill templates, one line each, so that an editor finds the texts of a
/// module together: `saved(name) = "Saved filter “{name}”.";` defines `fn saved(name: impl Display)
/// -> String` for the parent module.
macro_rules! texts {
    ($($(#[$doc:meta])* $name:ident($($value:ident),+) = $template:literal;)*) => {
        $(
            $(#[$doc])*
            pub(super) fn $name($($value: impl std::fmt::Display),+) -> String {
                format!($template)
            }
        )*
    };
}
pub(crate) use texts;
