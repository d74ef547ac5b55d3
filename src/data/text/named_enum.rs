//! Enums whose values have names for users.

/// Defines an enum with `ALL` values, and conversion to and from names by `name` and `named`.
#[macro_export]
macro_rules! named_enum {
    ($(#[$attribute:meta])* $vis:vis enum $enum:ident {
        $($(#[$($of_value:tt)*])* $value:ident $name:expr,)*
    }) => {
        $(#[$attribute])*
        $vis enum $enum {
            $($(#[$($of_value)*])* $value,)*
        }

        impl $enum {
            /// Each value with its name, and the first line of its documentation as help for the
            /// command line.
            $vis const NAMED: &[(Self, &str, &str)] = &[$(
                (Self::$value, $name, [$($crate::named_enum!(@about $($of_value)*),)* ""][0])
            ),*];

            /// All values.
            $vis const ALL: [Self; Self::NAMED.len()] = [$(Self::$value),*];

            /// Returns the name.
            $vis const fn name(self) -> &'static str {
                Self::NAMED[self as usize].1
            }

            /// Returns the value of a name.
            $vis fn named(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|value| value.name() == name)
            }
        }
    };
    (@about doc = $about:literal) => { $about };
    (@about $($other:tt)*) => { "" };
}
