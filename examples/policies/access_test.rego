package access_test

import data.access
import rego.v1

allowed := {"base_urls": ["https://eu.access.example.com"], "destroy": ["access_listing_role.old"]}

provider_name := "registry.terraform.io/access/access"

# A provider configuration with these expressions, and an alias unless it is empty.
config(alias, expressions) := {key: value |
	some key, value in {"full_name": provider_name, "alias": alias, "expressions": expressions}
	value != ""
}

eu := {"constant_value": "https://eu.access.example.com/"}

provider_config := {"access": config("", {"base_url": eu})}

plan(changes) := plan_of(changes, provider_config)

plan_of(changes, config) := {
	"planned_values": {},
	"resource_changes": changes,
	"configuration": {
		"provider_config": config,
		"root_module": {"resources": [{"address": address, "type": type, "provider_config_key": "access"} |
			some type in access.types
			some name in ["a", "b", "c", "old"]
			address := concat(".", [type, name])
		]},
	},
}

change(type, name, actions, before, after) := {
	"address": concat(".", [type, name]),
	"mode": "managed",
	"type": type,
	"name": name,
	"provider_name": provider_name,
	"change": {"actions": actions, "before": before, "after": after, "after_unknown": {}},
}

role(name, fields) := change("access_listing_role", name, ["create"], null, object.union(
	{"listing": "github", "role": name, "description": "Reads.", "priority": 0},
	fields,
))

owner(name, principal, actions) := change("access_integration_owner", name, actions, object_at("before", principal, actions), object_at("after", principal, actions))

object_at(time, _, actions) := null if {
	time == "before"
	actions == ["create"]
}

object_at(time, _, actions) := null if {
	time == "after"
	actions == ["delete"]
}

object_at(time, principal, actions) := {"integration": "okta", "owner": principal, "deletion_policy": null} if {
	[time, actions] != ["before", ["create"]]
	[time, actions] != ["after", ["delete"]]
}

owners(principals) := change("access_integration_owners", "a", ["no-op"], null, {"integration": "okta", "owners": principals})

denied(changes) := denied_input(plan(changes))

denied_input(document) := denied_with(document, allowed)

denied_with(document, data_allowed) := messages if {
	messages := access.deny with input as document with data.allowed as data_allowed
}

test_plan_that_keeps_the_rules_passes if {
	denied([
		role("a", {}),
		role("b", {"priority": 1}),
		owner("a", "teams/a", ["no-op"]),
		owner("b", "groups/b", ["create"]),
		owners(["teams/a", "groups/b"]),
	]) == set()
}

test_input_that_is_no_plan_is_denied if {
	every document in [
		{"format_version": "1.0", "values": {}},
		{"format_version": "1.0", "planned_values": {}},
		object.union(plan([]), {"errored": true}),
		object.union(plan([]), {"deferred_changes": [{"reason": "absent_prereq"}]}),
	] {
		count(denied_input(document)) == 1
	}
}

test_owner_that_is_a_user_is_denied if {
	denied([owner("a", "users/ada", ["create"])]) == {"access_integration_owner.a: the owner users/ada is not a team or a group."}
	denied([owners(["teams/a", "users/ada"])]) == {"access_integration_owners.a: the owner users/ada is not a team or a group."}
}

test_user_who_is_removed_is_no_owner if {
	denied([
		change("access_integration_owner", "a", ["forget"], {"integration": "okta", "owner": "users/ada"}, null),
		owner("b", "teams/b", ["no-op"]),
	]) == set()
}

test_unknown_owner_is_denied if {
	one := change("access_integration_owner", "a", ["create"], null, {"integration": "okta"})
	unknown := object.union(one, {"change": {"after_unknown": {"owner": true}}})
	denied([unknown]) == {"access_integration_owner.a: owner is known only after the apply, so it cannot be checked."}

	some_of_list := object.union(owners(["teams/a"]), {"change": {"after_unknown": {"owners": [false, true]}}})
	denied([some_of_list]) == {"access_integration_owners.a: owners is known only after the apply, so it cannot be checked."}
}

test_list_of_one_owner_is_denied if {
	denied([owners(["teams/a"])]) == {"access_integration_owners.a: an integration needs two owners."}
}

test_removal_that_leaves_one_owner_is_denied if {
	rest := [owner("b", "teams/b", ["no-op"])]
	removal := owner("a", "teams/a", ["delete"])
	messages := denied(array.concat([removal], rest))
	"access_integration_owner.a: the configuration keeps 1 of two owners of the integration okta." in messages

	three := denied(array.concat([removal, owner("old", "teams/c", ["no-op"])], rest))
	every message in three {
		contains(message, "the plan destroys it")
	}
}

test_destroy_is_denied_unless_abandoned_or_allowed if {
	before := {"listing": "github", "deletion_policy": null}
	deleted := change("access_listing_role", "a", ["delete"], before, null)
	count(denied([deleted])) == 1

	abandoned := object.union(before, {"deletion_policy": "abandon"})
	denied([change("access_listing_role", "a", ["delete"], abandoned, null)]) == set()
	denied([change("access_listing_role", "old", ["delete"], before, null)]) == set()

	replaced := object.union(role("a", {}), {"change": {"actions": ["create", "delete"], "before": before}})
	count(denied([replaced])) == 1

	denied_input(plan_of([deleted], {"access": config("", {"deletion_policy": {"constant_value": "abandon"}})})) == set()
}

# The default configuration deletes an object whose block is gone, also if every other block has moved.
test_policy_of_one_alias_abandons_nothing if {
	deleted := change("access_listing_role", "gone", ["delete"], {"listing": "github", "deletion_policy": null}, null)
	abandons := config("x", {"deletion_policy": {"constant_value": "abandon"}})
	every configs in [
		{"access": config("", {}), "access.x": abandons},
		{"access": provider_config.access, "access.x": abandons},
		{"access.x": abandons},
		{"access": config("", {"deletion_policy": {"references": ["var.policy"]}})},
		{"access": config("", {"deletion_policy": {}})},
		{"module.x:access": object.union(config("", {"deletion_policy": {"constant_value": "abandon"}}), {"module_address": "module.x"})},
		{"access": object.union(config("", {"deletion_policy": {"constant_value": "abandon"}}), {"full_name": "registry.terraform.io/other/access"})},
	] {
		count(denied_input(plan_of([deleted], configs))) == 1
	}
	kept := object.union(deleted, {"change": {"before": {"deletion_policy": "delete"}}})
	count(denied_input(plan_of([kept], {"access": config("", {"deletion_policy": {"constant_value": "abandon"}})}))) == 1
}

denied_destroy(key, pattern) := denied_with(plan([deleted]), object.union(allowed, {"destroy": [pattern]})) if {
	deleted := object.union(
		change("access_listing_role", "a", ["delete"], {"listing": "github"}, null),
		{"address": concat("", ["access_listing_role.a", key])},
	)
}

test_address_may_be_destroyed_by_a_pattern if {
	every pattern in ["*", "access_listing_role.*", `access_listing_role.a["github/*"]`, `*"github/viewer"]`, `access_listing_role.a["github/viewer"]`] {
		denied_destroy(`["github/viewer"]`, pattern) == set()
	}

	# Nothing but `*` is special, and a pattern is about the whole address.
	every pattern in ["", "access_listing_role.a", "access_listing_role.a*x", `access.listing.role*`, `access_listing_role.a[*v]`, `listing_role.*`, `access_listing_role.a["gith[a-z]*`, `(*)`, `access_listing_role.?*`] {
		count(denied_destroy(`["github/viewer"]`, pattern)) == 1
	}
	denied_destroy("[\"a\nb\"]", "access_listing_role.a[*") == set()
}

test_role_without_description_is_denied if {
	every description in [null, "", " \n", "\u200b", "\u3164", "-", "…"] {
		denied([role("a", {"description": description})]) == {"access_listing_role.a: the role has no description."}
	}
	unknown := object.union(role("a", {"description": null}), {"change": {"after_unknown": {"description": true}}})
	denied([unknown]) == {"access_listing_role.a: description is known only after the apply, so it cannot be checked."}
}

test_role_may_be_described_in_any_language if {
	every description in ["Reads.", "7", "é", "Читает", "閲覧", "قراءة"] {
		denied([role("a", {"description": description})]) == set()
	}
}

test_roles_of_one_priority_are_denied if {
	denied([role("a", {}), role("b", {})]) == {"access_listing_role.a, access_listing_role.b: these roles of a listing have one priority."}
	denied([role("a", {}), role("b", {"listing": "production"})]) == set()

	every name in ["listing", "priority"] {
		unknown := object.union(role("a", {}), {"change": {"after_unknown": {name: true}}})
		count(denied([unknown])) == 1
	}
}

test_base_url_is_one_of_the_regions_or_not_set if {
	every expressions in [{}, {"base_url": eu}, {"base_url": {"constant_value": null}}] {
		denied_input(plan_of([], {"access": config("", expressions)})) == set()
	}
	denied_input(plan_of([], {"access": {"full_name": provider_name}})) == set()

	elsewhere := {"constant_value": "https://example.com"}
	denied_input(plan_of([], {"access": config("", {"base_url": elsewhere})})) == {"provider access: https://example.com is not in `allowed.base_urls`."}

	# A function of constants has neither a value nor references. The value of `replace(var.url, …)` is not
	# that of the variable.
	every expression in [{}, {"references": ["local.url"]}, {"references": ["var.url"]}, {"constant_value": 1}, {"constant_value": ["https://eu.access.example.com"]}] {
		document := object.union(
			plan_of([], {"access": config("", {"base_url": expression})}),
			{"variables": {"url": {"value": "https://eu.access.example.com"}}},
		)
		denied_input(document) == {"provider access: `base_url` cannot be checked. Write a text without variables or functions, or leave it out and set ACCESS_BASE_URL."}
		denied_with(document, object.union(allowed, {"off": ["base_urls"]})) == set()
	}

	# The key also goes where a configuration without resources leads, and a local name can be another.
	every configs in [
		{"access.unused": config("unused", {"base_url": elsewhere})},
		{"entry": config("", {"base_url": elsewhere})},
		{"module.x:access": object.union(config("", {"base_url": elsewhere}), {"module_address": "module.x"})},
	] {
		count(denied_input(plan_of([], object.union(provider_config, configs)))) == 1
	}
}

test_rule_that_is_off_does_not_count if {
	broken := plan_of(
		[
			change("access_listing_role", "a", ["delete"], {"listing": "github"}, null),
			role("b", {"description": null}),
			role("c", {"description": "x"}),
			owners(["users/ada"]),
		],
		{"access": config("", {"base_url": {}})},
	)
	count(denied_input(broken)) == 6
	count(access.rules) == 6
	every rule in access.rules {
		count(denied_with(broken, object.union(allowed, {"off": [rule]}))) == 5
	}
	denied_with(broken, object.union(allowed, {"off": [rule | some rule in access.rules]})) == set()
	denied_with(plan([]), object.union(allowed, {"off": ["base_url"]})) == {"`allowed.off` contains base_url, which is not a rule: base_urls, descriptions, destroy, owners, priorities, two_owners."}
}

in_module(module, index) := object.union(role("this", {}), {
	"address": sprintf("%s.access_listing_role.this[%d]", [module, index]),
	"module_address": module,
})

module_with_provider(key) := {"module": {"resources": [resource |
	some type in access.types
	resource := {"address": concat("", [type, ".this"]), "type": type, "provider_config_key": key}
]}}

us := {"constant_value": "https://us.access.example.com"}

two_regions(changes) := object.union(plan(changes), {"configuration": {
	"provider_config": {
		"access.eu": config("eu", {"base_url": eu}),
		"access.us": config("us", {"base_url": us}),
	},
	"root_module": {"module_calls": {
		"eu": module_with_provider("access.eu"),
		"us": module_with_provider("access.us"),
	}},
}})

test_without_data_nothing_is_allowed if {
	deleted := change("access_listing_role", "old", ["delete"], {"listing": "github"}, null)
	count(denied_with(plan([deleted]), {})) == 2
}

denied_in_regions(changes) := denied_with(two_regions(changes), object.union(allowed, {
	"base_urls": ["https://eu.access.example.com", "https://us.access.example.com"],
	"destroy": ["*"],
}))

test_same_names_in_two_regions_are_two_objects if {
	denied_in_regions([in_module("module.eu", 0), in_module("module.us", 0)]) == set()

	# The key of an instance may contain brackets.
	count(denied_in_regions([in_module(`module.eu["[0]\"]"]`, 0), in_module("module.eu", 1)])) == 1

	# Two aliases of one address are one region.
	same := object.union(
		two_regions([in_module("module.eu", 0), in_module("module.us", 0)]),
		{"configuration": {"provider_config": {"access.us": config("us", {"base_url": eu})}}},
	)
	count(denied_input(same)) == 1
}

owner_in_module(module, principal, actions) := object.union(owner("this", principal, actions), {
	"address": sprintf("%s.access_integration_owner.this[\"%s\"]", [module, principal]),
	"module_address": module,
})

test_owners_of_another_region_do_not_count if {
	kept := [owner_in_module("module.us", principal, ["no-op"]) | some principal in ["teams/a", "teams/b"]]
	removed := owner_in_module("module.eu", "teams/a", ["delete"])
	denied_in_regions(array.concat(kept, [removed])) == {"module.eu.access_integration_owner.this[\"teams/a\"]: the configuration keeps 0 of two owners of the integration okta."}

	# Neither do they for a block that is gone.
	every gone in [owner("gone", "teams/a", ["delete"]), owner_in_module("module.gone", "teams/a", ["delete"])] {
		messages := denied_in_regions(array.concat(kept, [gone]))
		count(messages) == 1
		some message in messages
		contains(message, "the plan does not show from which region")
	}

	# One of a provider configuration's instances may be in another region.
	each := {"access": config("", {"base_url": {"references": ["local.regions", "each.key"]}})}
	instances := denied_with(
		plan_of([owner("a", "teams/a", ["delete"]), owner("b", "teams/b", ["no-op"]), owner("c", "teams/c", ["no-op"])], each),
		{"destroy": ["*"], "off": ["base_urls"]},
	)
	count(instances) == 1
}

test_list_that_is_destroyed_leaves_two_owners if {
	list := change("access_integration_owners", "a", ["delete"], {"integration": "okta", "owners": ["teams/a", "teams/b"]}, null)
	everything := object.union(allowed, {"destroy": ["*"]})
	kept := [owner("b", "teams/b", ["create"]), owner("c", "teams/c", ["create"])]
	count(denied_with(plan([list]), everything)) == 1
	denied_with(plan(array.concat(kept, [list])), everything) == set()

	# One owner twice is one owner.
	twice := owners(["teams/a", "teams/a"])
	count(denied([twice])) == 1
}
