//! Enums whose values each have a name that people type.

/// Defines an enum from its values and their names, with `ALL` of them, the `name` of one, and the one
/// `named` so.
macro_rules! named_enum {
    ($(#[$attribute:meta])* $vis:vis enum $enum:ident {
        $($(#[$of_value:meta])* $value:ident = $name:expr,)*
    }) => {
        $(#[$attribute])*
        $vis enum $enum {
            $($(#[$of_value])* $value,)*
        }

        impl $enum {
            /// All of them.
            $vis const ALL: [Self; [$($name),*].len()] = [$(Self::$value),*];

            /// What people type.
            $vis const fn name(self) -> &'static str {
                match self {
                    $(Self::$value => $name,)*
                }
            }

            /// The one of a name.
            $vis fn named(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|value| value.name() == name)
            }
        }
    };
}
pub(crate) use named_enum;
