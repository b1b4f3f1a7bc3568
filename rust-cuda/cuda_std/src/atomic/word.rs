//! What both families of words have in common: the macro `word`.

/// Declares an atomic word, and the methods that both families have because no other thread can be at the
/// word.
macro_rules! word {
    ($(#[$doc:meta])* $Word:ident($Atomic:ident) = $Value:ident) => {
        $(#[$doc])*
        #[repr(transparent)]
        #[derive(Debug, Default)]
        pub struct $Word($Atomic);

        impl $Word {
            /// A word with this value.
            #[inline(always)]
            pub const fn new(value: $Value) -> Self {
                $Word($Atomic::new(value))
            }

            /// The word at an address.
            ///
            /// # Safety
            /// `address` is aligned, and valid for reads and writes as long as the reference is used. While
            /// several threads may change the word, all of them do so through this type.
            #[inline(always)]
            pub const unsafe fn from_ptr<'a>(address: *mut $Value) -> &'a Self {
                // SAFETY: the caller's contract; the type is `repr(transparent)`, and an atomic has the
                // layout of its value.
                unsafe { &*address.cast::<Self>() }
            }

            /// The value of a word that is not shared any more.
            #[inline(always)]
            pub const fn into_inner(self) -> $Value {
                self.0.into_inner()
            }

            /// The value of a word that is not shared at the moment, to read or to change.
            #[inline(always)]
            pub fn get_mut(&mut self) -> &mut $Value {
                self.0.get_mut()
            }
        }
    };
}

pub(super) use word;
