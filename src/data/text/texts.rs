//! A macro for tables of a module's texts.

/// Declares constants, and functions that fill templates, one line each, so the texts of a module
/// are in one place. In the parent module, `EMPTY = "No filters.";` defines `const EMPTY: &str`, and
/// `saved(name) = "Saved filter “{name}”.";` defines `fn saved(name: impl Display) -> String`.
#[macro_export]
macro_rules! texts {
    ($($(#[$doc:meta])* $name:ident $(($($value:ident),+))? = $template:literal;)*) => {
        $($crate::one_text! { $(#[$doc])* $name $(($($value),+))? = $template })*
    };
}

/// Declares one text of [`texts!`].
#[doc(hidden)]
#[macro_export]
macro_rules! one_text {
    ($(#[$doc:meta])* $name:ident = $text:literal) => {
        $(#[$doc])*
        pub(super) const $name: &str = $text;
    };
    ($(#[$doc:meta])* $name:ident($($value:ident),+) = $template:literal) => {
        $(#[$doc])*
        pub(super) fn $name($($value: impl std::fmt::Display),+) -> String {
            format!($template)
        }
    };
}
