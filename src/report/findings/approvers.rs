//! Whom to ask about a plan: the owners of what it changes.
//!
//! Whoever gains control by the plan, or has got it outside Terraform, is not asked where the plan
//! shows other owners: a plan must not choose its own reviewer.

use std::collections::{BTreeMap, BTreeSet};

use super::owners::{Does, Owners};
use super::{Identity, Kind, Name, Plan};
use crate::report::entries::{Approvers, Parent};

/// How well a plan shows that a principal is an owner, best first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Standing {
    /// A resource had the owner before the plan, and not only since a change outside Terraform.
    Managed,
    /// A data source lists the owner, or the owner was added outside Terraform.
    Seen,
    /// The plan adds the owner.
    Added,
}

/// The owners of one integration: by principal the standing, and the address that shows it.
type Candidates<'a> = BTreeMap<&'a str, (Standing, &'a str)>;

/// Returns whom to ask about each listing and integration that changes. Listings have no owners:
/// those of the integration with the same ID are asked.
pub(super) fn approvers(
    plan: &Plan,
    listings: &BTreeSet<(&Identity, Parent)>,
    owners: &Owners<'_>,
) -> Vec<Approvers> {
    let candidates = candidates(plan, owners);
    let parents = listings.iter().chain(&owners.parents);
    let mut approvers: Vec<_> = parents
        .filter_map(|(service, parent)| {
            let (Parent::Listing(id) | Parent::Integration(id)) = parent;
            let all = candidates.get(&(*service, id.as_str()))?;
            let best = all.values().map(|(standing, _)| *standing).min()?;
            let asked = || all.iter().filter(|(_, it)| it.0 == best);
            Some(Approvers {
                parent: parent.clone(),
                owners: asked().map(|(owner, _)| (*owner).to_owned()).collect(),
                become_owners: best == Standing::Added,
                addresses: asked().map(|(_, it)| it.1.to_owned()).collect(),
                is_ambiguous: plan.configuration.has_several_places(),
            })
        })
        .collect();
    approvers.sort_by(|one, other| {
        (&one.parent, &one.addresses).cmp(&(&other.parent, &other.addresses))
    });
    approvers
}

/// Returns the owners of each integration, by service and ID, with their best standing.
fn candidates<'a>(
    plan: &'a Plan,
    owners: &Owners<'a>,
) -> BTreeMap<(&'a Identity, &'a str), Candidates<'a>> {
    let added_outside = added_outside(plan);
    let mut found = BTreeMap::<_, Candidates<'a>>::new();
    let mut add = |service: &'a Identity, integration, owner, standing: Standing, address| {
        let is_outside = added_outside.contains(&(service, integration, owner));
        let standing = if is_outside { standing.max(Standing::Seen) } else { standing };
        let all = found.entry((service, integration)).or_default();
        let best = all.entry(owner).or_insert((standing, address));
        *best = (*best).min((standing, address));
    };
    for (&(service, integration, owner), acts) in &owners.acts {
        for act in acts {
            let shown = Name::Owner {
                integration: integration.to_owned(),
                principal: Some(owner.to_owned()),
            };
            // Sensitive names are not shown.
            if act.name != shown {
                continue;
            }
            let adds = act.does == Does::Adds;
            let standing = if adds { Standing::Added } else { Standing::Managed };
            add(service, integration, owner, standing, act.change.address.as_str());
        }
    }
    for present in &plan.present {
        let is_data = present.is_data_source;
        let standing = if is_data { Standing::Seen } else { Standing::Managed };
        for owner in &present.principals {
            add(&present.place.service, &present.integration, owner, standing, &present.address);
        }
    }
    found
}

/// Returns the owners that drift has added, by service and integration.
fn added_outside(plan: &Plan) -> BTreeSet<(&Identity, &str, &str)> {
    let mut added = BTreeSet::new();
    for drift in plan.drift.iter().filter(|drift| drift.kind == Kind::Owners) {
        let (Some(before), Some(after)) = (&drift.before, &drift.after) else { continue };
        let Some(integration) = after.text("integration") else { continue };
        let had = before.elements("owners");
        let has = after.elements("owners").into_keys();
        let new = has.filter(|owner| !had.contains_key(owner));
        added.extend(new.map(|owner| (&drift.place.service, integration, owner)));
    }
    added
}
