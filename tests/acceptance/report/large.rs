//! Plans of many changes, of which few matter, each applied and compared with the service.

use serde_json::json;

use super::*;
use crate::support::fixtures::{Text, import, later, owner, owners};

/// The number of roles.
const COUNT: usize = 23;

/// Returns the roles with these arguments.
fn all(arguments: &[(&str, &str)]) -> Block {
    let block = holding("role-${format(\"%03d\", count.index)}", &[]).at("all").set("count", COUNT);
    arguments.iter().fold(block, |block, (name, value)| block.set(name, value))
}

#[test]
fn what_matters_among_many_changes_is_shown() {
    let service = Service::full();
    for number in 0..COUNT {
        let fields = json!({"displayName": "Role", "priority": "1"});
        service.put_role("github", &format!("role-{number:03}"), fields);
    }
    let imports = format!(
        "import {{\n  for_each = {{ for number in range({COUNT}) : number => number }}\n  to = access_listing_role.all[each.value]\n  id = \"github/role-${{format(\"%03d\", each.value)}}\"\n}}\n"
    );
    let list = || owners(&["users/founder"]);
    let first = later("x", "\"one\"") + list() + import("access_integration_owners.all", "okta");
    let workspace = service.applied(all(&[]) + Text(imports) + first.clone());

    // All roles get `logs`, and one `db/admin` as well.
    let resources = "count.index == 20 ? [\"db/admin\", \"logs\"] : [\"logs\"]";
    let planned = planned(&workspace, all(&[("resources", resources)]) + first);
    assert_eq!(planned.line(), "23 roles change what they grant");
    let lines: Vec<_> = planned.markdown.lines().filter(|line| line.starts_with("- ")).collect();
    let [logs, admin] = lines[..] else { panic!("{}", planned.markdown) };
    assert!(
        logs.starts_with("- adds `logs` (present holders do not get it): `listings/"),
        "{logs}"
    );
    assert!(logs.ends_with(" and 2 more"), "{logs}");
    let adds = "- `listings/github/roles/role-020` (`access_listing_role.all[20]`) adds `db/admin`, `logs` ";
    assert!(admin.starts_with(adds), "{admin}");
    planned.applies_as_said(&workspace, &service);

    // The texts of all change around two grants, and around owners who are known only after apply.
    let resources = "count.index >= 21 ? [\"db/root\", \"logs\"] : [\"logs\"]";
    let description = ("description", "\"${join(\" \", range(40))} ${count.index}\"");
    let late = "\"users/${terraform_data.x.output}\"";
    let owners = owner("ada").set("owner", late)
        + list().set("owners", format!("[\"users/founder\", {late}]"));
    let roles = all(&[("resources", resources), description]);
    let planned = self::planned(&workspace, roles + later("x", "\"two\"") + owners);
    let text = &planned.markdown;
    let line = "3 roles change what they grant, 20 change texts or order; 1 grant to revoke by hand; 2 known only after apply; 1 change of other providers is not read";
    assert_eq!(planned.line(), line);
    for part in [
        "adds `db/root` (present holders do not get it): `listings/github/roles/role-021`",
        "all owners of `okta` (`access_integration_owners.all`): owners",
    ] {
        assert!(text.contains(part), "{text}");
    }
    // Twenty times as many fit no comment, and what matters still does.
    let mut large = planned.plan.clone();
    let changes = large["resource_changes"].as_array_mut().expect("changes");
    *changes = std::iter::repeat_n(changes.clone(), 20).flatten().collect();
    workspace.write("large.json", &large.to_string());
    let text = workspace.run_provider(&["report", "large.json"]).succeeds().stdout;
    assert!(text.len() <= 20_000 && text.contains(" more are not shown."), "{text}");
    assert!(text.contains("adds `db/root`"), "{text}");
    planned.applies_no_more(&workspace, &[&service]).succeeds();
}
