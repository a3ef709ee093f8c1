//! Properties of attributes that tf-provider's schemas do not have.

/// The properties, by the path of the attribute with dots.
#[derive(Clone, Debug, Default)]
pub(crate) struct AttributeExtras {
    pub(crate) write_only: Vec<String>,
}
