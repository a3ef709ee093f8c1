//! Sets that keep equal elements.

use serde::{Deserialize, Deserializer, Serialize};

/// The elements of a set, in their order.
///
/// Unlike a `BTreeSet`, it keeps elements that are equal, because several elements that are unknown
/// may become different ones. Terraform removes repeated elements that are known.
///
/// ```
/// use plugin_server::value::Set;
/// use plugin_server::tf_provider::value::Value;
///
/// let tags: Set<Value<String>> = [Value::Unknown, Value::Unknown].into();
/// assert_eq!(tags.len(), 2);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Set<T>(Vec<T>);

impl<T> Default for Set<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Ord> Set<T> {
    /// Adds an element, even if an equal one exists.
    pub fn insert(&mut self, element: T) {
        let at = self.0.partition_point(|other| *other <= element);
        self.0.insert(at, element);
    }

    /// Returns whether the set contains the element.
    pub fn contains(&self, element: &T) -> bool {
        self.0.binary_search(element).is_ok()
    }
}

impl<T> Set<T> {
    /// Returns the number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether the set has no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Iterates over the elements in their order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.0.iter()
    }
}

impl<T: Ord> From<Vec<T>> for Set<T> {
    fn from(mut elements: Vec<T>) -> Self {
        elements.sort();
        Self(elements)
    }
}

impl<T: Ord, const N: usize> From<[T; N]> for Set<T> {
    fn from(elements: [T; N]) -> Self {
        Vec::from(elements).into()
    }
}

impl<T: Ord> FromIterator<T> for Set<T> {
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Self {
        elements.into_iter().collect::<Vec<T>>().into()
    }
}

impl<T> IntoIterator for Set<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'s, T> IntoIterator for &'s Set<T> {
    type Item = &'s T;
    type IntoIter = std::slice::Iter<'s, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl<'de, T: Deserialize<'de> + Ord> Deserialize<'de> for Set<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn set_is_equal_in_any_order_and_keeps_equal_elements() {
        let mut set = Set::from([3, 1, 2]);
        assert_eq!(set, Set::from([1, 2, 3]));
        set.insert(2);
        assert_eq!(set.iter().copied().collect::<Vec<_>>(), [1, 2, 2, 3]);
        assert!(set.contains(&2) && !set.contains(&4));
        assert_ne!(set, Set::from([1, 2, 3]));
    }
}
