//! The conditions under which providers are compared.

use access_fake::{RateLimit, World};

/// Its name on the command line, and of its file in `benchmarks/`.
pub(crate) const GROWTH: &str = "growth";

/// A terraform command on the whole configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Step {
    Create,
    Plan,
    Edit,
    Destroy,
}

impl Step {
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

/// A number of roles, the behaviour of the service, and the steps that are measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scenario {
    /// Its name on the command line, and of its file in `benchmarks/`.
    pub(crate) name: &'static str,
    /// The title of its report.
    pub(crate) title: &'static str,
    /// Roles in the configuration.
    pub(crate) roles: usize,
    /// Listings over which the roles are spread evenly.
    pub(crate) listings: usize,
    /// The service's delay of each response.
    pub(crate) latency_ms: u64,
    /// Requests beyond this rate receive a 429.
    pub(crate) requests_per_second: Option<u32>,
    /// The measured steps. Without [`Step::Create`] the roles are created beforehand, while the
    /// service neither waits nor limits.
    pub(crate) steps: &'static [Step],
}

/// Every scenario, the most realistic first.
pub(crate) const SCENARIOS: [Scenario; 3] = [
    Scenario {
        name: "latency",
        title: "A service in another region: 1000 roles in 10 listings, 80 ms per request",
        roles: 1000,
        listings: 10,
        latency_ms: 80,
        requests_per_second: None,
        steps: &[Step::Plan],
    },
    Scenario {
        name: "rate",
        title: "A service that limits its clients: 200 roles in 2 listings, 5 requests per second",
        roles: 200,
        listings: 2,
        latency_ms: 0,
        requests_per_second: Some(5),
        steps: &[Step::Plan],
    },
    Scenario {
        name: "terraform",
        title: "The provider's own costs: 500 roles in 1 listing, no latency",
        roles: 500,
        listings: 1,
        latency_ms: 0,
        requests_per_second: None,
        steps: &[Step::Create, Step::Plan, Step::Edit, Step::Destroy],
    },
];

impl Scenario {
    /// Sets the latency and the rate limit of the service.
    pub(crate) fn set_conditions(&self, world: &mut World) {
        world.latency_ms = self.latency_ms;
        world.rate_limit =
            self.requests_per_second.map(|rate| RateLimit { per_second: rate.into(), burst: rate });
    }

    /// Returns the names of the listings.
    pub(crate) fn listing_names(&self) -> impl Iterator<Item = String> {
        (0..self.listings).map(|index| format!("listing-{index}"))
    }
}
