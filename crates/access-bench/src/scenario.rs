//! The conditions under which providers are compared.

use std::time::Duration;

use access_fake::{RateLimit, RetryAfter, World};

use crate::step::Step;

/// A number of roles, the behaviour of the service, and the steps that are measured.
#[derive(Clone, Debug)]
pub(crate) struct Scenario {
    /// Its name on the command line, and of its file in `benchmarks/`.
    pub(crate) name: &'static str,
    /// Roles in the configuration.
    pub(crate) roles: usize,
    /// Listings over which the roles are spread evenly.
    pub(crate) listings: usize,
    /// The service's delay of each response.
    pub(crate) latency: Duration,
    /// Requests beyond this rate receive a 429.
    pub(crate) requests_per_second: Option<u32>,
    /// The measured steps. Without [`Step::Create`] the roles are created beforehand, while the
    /// service neither waits nor limits.
    pub(crate) steps: &'static [Step],
    /// Limits for a plan without changes with this provider's default settings.
    pub(crate) goals: Goals,
}

/// Limits for a plan without changes. `None` is no limit.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Goals {
    /// Time on top of Terraform's own, which `terraform_data` shows.
    pub(crate) added: Option<Duration>,
    /// The whole time.
    pub(crate) wall: Option<Duration>,
    /// Requests to the service.
    pub(crate) requests: Option<usize>,
}

impl Scenario {
    /// Returns every scenario, the most realistic first.
    pub(crate) fn all() -> Vec<Self> {
        vec![
            // A service in another region.
            Self {
                name: "latency",
                roles: 1000,
                listings: 10,
                latency: Duration::from_millis(80),
                requests_per_second: None,
                steps: &[Step::Plan],
                goals: Goals {
                    added: Some(Duration::from_millis(1500)),
                    requests: Some(60),
                    wall: None,
                },
            },
            // A service that limits its clients.
            Self {
                name: "rate",
                roles: 200,
                listings: 2,
                latency: Duration::ZERO,
                requests_per_second: Some(5),
                steps: &[Step::Plan],
                goals: Goals { wall: Some(Duration::from_secs(6)), ..Goals::default() },
            },
            Self::local(),
        ]
    }

    /// Returns the scenario without latency and rate limit, which shows the provider's own costs.
    pub(crate) fn local() -> Self {
        Self {
            name: "terraform",
            roles: 500,
            listings: 1,
            latency: Duration::ZERO,
            requests_per_second: None,
            steps: &Step::ALL,
            goals: Goals::default(),
        }
    }

    /// Sets the latency and the rate limit of the service.
    pub(crate) fn set_conditions(&self, world: &mut World) {
        world.latency_ms = u64::try_from(self.latency.as_millis()).unwrap_or(u64::MAX);
        world.rate_limit = self.requests_per_second.map(|rate| RateLimit {
            per_second: rate.into(),
            burst: rate,
            retry_after: RetryAfter::Seconds,
        });
    }

    /// Returns the names of the listings.
    pub(crate) fn listing_names(&self) -> impl Iterator<Item = String> {
        (0..self.listings).map(|index| format!("listing-{index}"))
    }

    /// Returns roles, listings and the behaviour of the service as a phrase.
    pub(crate) fn description(&self) -> String {
        let listings = if self.listings == 1 { "listing" } else { "listings" };
        let mut text = format!("{} roles in {} {listings}", self.roles, self.listings);
        if !self.latency.is_zero() {
            text += &format!(", {} ms per request", self.latency.as_millis());
        }
        if let Some(rate) = self.requests_per_second {
            text += &format!(", {rate} requests per second");
        }
        if self.latency.is_zero() && self.requests_per_second.is_none() {
            text += ", no latency";
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_reach_the_service_and_the_description() {
        let [latency, rate, local] = &Scenario::all()[..] else { panic!("three scenarios") };
        let mut world = World::default();
        latency.set_conditions(&mut world);
        assert_eq!((world.latency_ms, world.rate_limit), (80, None));
        assert_eq!(latency.description(), "1000 roles in 10 listings, 80 ms per request");
        rate.set_conditions(&mut world);
        assert_eq!(world.latency_ms, 0);
        assert_eq!(world.rate_limit.unwrap().per_second, 5.0);
        assert_eq!(rate.description(), "200 roles in 2 listings, 5 requests per second");
        local.set_conditions(&mut world);
        assert_eq!(world, World::default());
        assert_eq!(local.description(), "500 roles in 1 listing, no latency");
    }
}
