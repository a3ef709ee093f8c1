//! The steps that are measured.

/// A terraform command on the whole configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Step {
    Create,
    Plan,
    Edit,
    Destroy,
}

impl Step {
    /// Every step, in the order in which a workspace can run them.
    pub(crate) const ALL: [Self; 4] = [Self::Create, Self::Plan, Self::Edit, Self::Destroy];

    /// Returns the title of the step's table.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Create => "Create all (apply)",
            Self::Plan => "Plan without changes",
            Self::Edit => "Edit all (apply)",
            Self::Destroy => "Destroy all",
        }
    }

    /// Returns the arguments of terraform.
    pub(crate) fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::Create | Self::Edit => &["apply", "-auto-approve"],
            Self::Plan => &["plan", "-detailed-exitcode"],
            Self::Destroy => &["destroy", "-auto-approve"],
        }
    }

    /// Returns the value of the configuration's variable.
    pub(crate) fn edition(self) -> &'static str {
        match self {
            Self::Create | Self::Plan => "1",
            Self::Edit | Self::Destroy => "2",
        }
    }
}
