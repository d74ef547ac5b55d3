//! What a background job makes for a key: it is asked for where it is needed, and kept until it is made for
//! another key.

/// What a value is made for.
pub trait LazyKey: PartialEq {
    /// True if a value for this key will do for `now` while samples arrive.
    fn nearly_is(&self, now: &Self) -> bool;
}

/// A value with its key; that of the key before, while another is being made.
#[derive(Debug, Clone)]
pub struct Lazy<K, V>(Option<(K, V)>);

impl<K, V> Default for Lazy<K, V> {
    fn default() -> Self {
        Self(None)
    }
}

impl<K: LazyKey, V> Lazy<K, V> {
    /// The value, if its key is one that will do.
    pub(super) fn get(&self, will_do: impl FnOnce(&K) -> bool) -> Option<&V> {
        let made = self.0.as_ref().filter(|(key, _)| will_do(key));
        made.map(|(_, value)| value)
    }

    /// The key of the value.
    pub(super) fn key(&self) -> Option<&K> {
        self.0.as_ref().map(|(key, _)| key)
    }

    /// The key, if a value has to be made for it; while samples arrive, one for an earlier key can do.
    pub(super) fn need(&self, key: K, is_growing: bool) -> Option<K> {
        let is_fresh = |made: &K| *made == key || (is_growing && made.nearly_is(&key));
        (!self.key().is_some_and(is_fresh)).then_some(key)
    }

    /// Keeps what was made for a key.
    pub(super) fn put(&mut self, key: K, value: V) {
        self.0 = Some((key, value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl LazyKey for u32 {
        fn nearly_is(&self, now: &Self) -> bool {
            *now < 2 * self
        }
    }

    #[test]
    fn a_value_is_needed_once_its_key_is_another() {
        let mut lazy = Lazy::default();
        assert_eq!((lazy.need(4, true), lazy.get(|_| true)), (Some(4), None));
        lazy.put(4, "four");
        assert_eq!((lazy.need(4, false), lazy.need(7, true)), (None, None));
        assert_eq!(
            (lazy.need(7, false), lazy.need(8, true)),
            (Some(7), Some(8))
        );
        assert_eq!(lazy.get(|key| *key == 4), Some(&"four"));
        assert_eq!(lazy.get(|key| *key == 7), None);
    }
}
