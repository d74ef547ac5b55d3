//! A macro for tables of a module's texts.

/// Declares functions that fill templates, one line each, so the texts of a module are in one
/// place: `saved(name) = "Saved filter “{name}”.";` defines `fn saved(name: impl Display) ->
/// String` for the parent module.
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
