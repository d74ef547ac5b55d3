//! Enums whose values have names for users.

/// Defines an enum with `ALL` values, and conversion to and from names by `name` and `named`.
#[macro_export]
macro_rules! named_enum {
    ($(#[$attribute:meta])* $vis:vis enum $enum:ident {
        $($(#[$of_value:meta])* $value:ident = $name:expr,)*
    }) => {
        $(#[$attribute])*
        $vis enum $enum {
            $($(#[$of_value])* $value,)*
        }

        impl $enum {
            /// All values.
            $vis const ALL: [Self; [$($name),*].len()] = [$(Self::$value),*];

            /// Returns the name.
            $vis const fn name(self) -> &'static str {
                match self {
                    $(Self::$value => $name,)*
                }
            }

            /// Returns the value of a name.
            $vis fn named(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|value| value.name() == name)
            }
        }
    };
}
