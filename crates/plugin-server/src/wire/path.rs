//! The path of a value that is being decoded. It is allocated only when a fault is reported.

use tf_provider::{AttributePath, AttributePathStep};

/// One step of a [`Path`].
#[derive(Clone, Copy)]
enum Step<'p> {
    Root,
    Name(&'p str),
    Key(&'p str),
    Index(usize),
    /// An element of a set. It does not have an address, so the reported path ends at the set.
    Element,
}

/// A chain of steps on the stack.
#[derive(Clone, Copy)]
pub(crate) struct Path<'p> {
    parent: Option<&'p Self>,
    step: Step<'p>,
    depth: usize,
}

impl<'p> Path<'p> {
    pub(crate) const ROOT: Path<'static> = Path { parent: None, step: Step::Root, depth: 0 };

    fn child<'c>(&'c self, step: Step<'c>) -> Path<'c> {
        Path { parent: Some(self), step, depth: self.depth + 1 }
    }

    pub(crate) fn name<'c>(&'c self, name: &'c str) -> Path<'c> {
        self.child(Step::Name(name))
    }

    pub(crate) fn key<'c>(&'c self, key: &'c str) -> Path<'c> {
        self.child(Step::Key(key))
    }

    pub(crate) fn index(&self, index: usize) -> Path<'_> {
        self.child(Step::Index(index))
    }

    pub(crate) fn element(&self) -> Path<'_> {
        self.child(Step::Element)
    }

    pub(crate) fn depth(&self) -> usize {
        self.depth
    }

    /// Returns the name of the attribute; "" if the path does not end with one.
    pub(super) fn last_name(&self) -> &'p str {
        if let Step::Name(name) = self.step { name } else { "" }
    }

    /// Returns the path for diagnostics.
    pub(crate) fn to_attribute_path(self) -> AttributePath {
        let mut steps = Vec::with_capacity(self.depth);
        let mut at = Some(&self);
        while let Some(path) = at {
            match path.step {
                Step::Root => {}
                Step::Name(name) => {
                    steps.push(AttributePathStep::Attribute(name.to_owned().into()))
                }
                Step::Key(key) => steps.push(AttributePathStep::Key(key.to_owned().into())),
                Step::Index(index) => {
                    steps.push(AttributePathStep::Index(i64::try_from(index).unwrap_or(i64::MAX)));
                }
                Step::Element => steps.clear(),
            }
            at = path.parent;
        }
        steps.reverse();
        AttributePath { steps }
    }
}

/// An error at one path of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) path: AttributePath,
    /// The error, as the end of a sentence that names the path. Never contains the value.
    pub(crate) what: String,
}

impl Fault {
    pub(crate) fn new(path: Path<'_>, what: impl Into<String>) -> Self {
        Self { path: path.to_attribute_path(), what: what.into() }
    }
}
