//! What was changed outside Terraform.

use std::collections::BTreeSet;

use super::{Change, Entry, Kind, Name, Object, Plan, changed, entry, principals};
use crate::integration_owner;
use crate::listing_role;
use crate::object::attributes::{InReport, reported};
use crate::report::entries::{Drift, Writer};
use crate::report::plan::Present;

/// Returns the attributes whose change outside Terraform is reported. `update_time` says when.
fn drift_attributes(kind: Kind) -> Vec<&'static str> {
    let rows = match kind {
        Kind::Role => listing_role::attributes::ATTRIBUTES,
        Kind::Owner => integration_owner::attributes::ATTRIBUTES,
        Kind::Owners => return vec!["owners"],
    };
    reported(rows, |report| report != InReport::No)
}

/// Returns what was changed outside Terraform: the drift of resources, and owners that no resource
/// has.
pub(super) fn drift(plan: &Plan) -> impl Iterator<Item = Entry<Drift>> {
    plan.drift.iter().filter_map(changed_outside).chain(unmanaged_owners(plan))
}

/// Returns the entry of one drifted object; `None` if only unreported attributes differ.
fn changed_outside(drift: &Change) -> Option<Entry<Drift>> {
    let before = drift.before.as_ref()?;
    let after = drift.after.as_ref();
    let names = drift_attributes(drift.kind);
    let attributes = after.map_or_else(Vec::new, |after| changed(Some(before), after, &names));
    let update_time = after.map(|after| after.shown_text("update_time"));
    let what = Drift {
        deleted: after.is_none(),
        unmanaged: false,
        attributes,
        update_time: update_time.filter(|time| !time.is_empty()),
        by: after.and_then(|after| writer(before, after)),
    };
    (what.deleted || !what.attributes.is_empty()).then(|| entry(drift, before, what))
}

/// Returns who wrote a role last, as far as its fields show.
fn writer(before: &Object, after: &Object) -> Option<Writer> {
    let is_terraform = |object: &Object| object.text("manager") == Some("TERRAFORM");
    if !is_terraform(after) {
        // Where no manager was recorded, its absence says nothing.
        return is_terraform(before).then_some(Writer::NotTerraform);
    }
    let pair = |object: &Object| {
        ["repo_uri", "repo_dir"].map(|it| Some(object.shown_text(it)).filter(|it| !it.is_empty()))
    };
    let [repo_uri, repo_dir] = pair(after);
    if repo_uri.is_some() && pair(before) == pair(after) {
        return Some(Writer::SameRepository);
    }
    Some(Writer::Terraform { repo_uri, repo_dir })
}

/// Returns the owners that a data source lists and no resource has, of integrations whose single
/// owners are resources. `access_integration_owners` shows such owners as its own drift.
fn unmanaged_owners(plan: &Plan) -> impl Iterator<Item = Entry<Drift>> {
    let listed = plan.present.iter().filter(|it| it.is_data_source && it.are_all);
    listed.flat_map(|listed| {
        let managed = managed_owners(plan, listed);
        let owners = listed.principals.iter().filter(move |owner| {
            managed.as_ref().is_some_and(|managed| !managed.contains(owner.as_str()))
        });
        owners.map(|owner| {
            let name = Name::Owner {
                integration: listed.integration.clone(),
                principal: Some(owner.clone()),
            };
            let what = Drift {
                deleted: false,
                unmanaged: true,
                attributes: Vec::new(),
                update_time: None,
                by: None,
            };
            Entry::new(name, BTreeSet::from([listed.address.clone()]), what)
        })
    })
}

/// Returns the owners of an integration that resources of the plan have or have had; `None` if it
/// has none.
fn managed_owners<'a>(plan: &'a Plan, listed: &Present) -> Option<BTreeSet<&'a str>> {
    let is_here = |change: &&Change| {
        change.kind.is_of_owners() && change.place.service == listed.place.service
    };
    let all = plan.changes.iter().chain(&plan.drift).filter(is_here);
    let objects = all.flat_map(|change| change.before.iter().chain(&change.after));
    let objects = objects.filter(|it| it.text("integration") == Some(&listed.integration));
    let principals = objects.flat_map(|object| principals(object).map(|(owner, _)| owner));
    let known = plan.present.iter().filter(|it| !it.is_data_source && it.place == listed.place);
    let known = known.filter(|it| it.integration == listed.integration);
    let known = known.flat_map(|it| it.principals.iter().map(String::as_str));
    Some(principals.chain(known).collect()).filter(|managed: &BTreeSet<_>| !managed.is_empty())
}

/// Returns the integrations of single owners whose other owners neither a resource nor a data
/// source shows: an owner that was added outside is not in the plan.
pub(super) fn unseen_owners(plan: &Plan) -> BTreeSet<String> {
    let is_seen = |single: &&Present| {
        plan.present.iter().any(|it| {
            it.are_all
                && it.integration == single.integration
                && it.place.service == single.place.service
        })
    };
    let singles = plan.present.iter().filter(|it| !it.are_all && !it.is_data_source);
    let unseen = singles.filter(|single| !is_seen(single));
    unseen.map(|single| single.integration.clone()).collect()
}
