package access_test

import data.access
import rego.v1

allowed := {"base_urls": ["https://eu.access.example.com"], "destroy": ["access_listing_role.old"]}

provider_config := {"access": {"expressions": {"base_url": {"constant_value": "https://eu.access.example.com/"}}}}

plan(changes) := plan_of(changes, provider_config)

plan_of(changes, config) := {
	"planned_values": {},
	"resource_changes": changes,
	"configuration": {
		"provider_config": config,
		"root_module": {"resources": [{"address": address, "type": type, "provider_config_key": "access"} |
			some type in access.types
			some name in ["a", "b", "old"]
			address := concat(".", [type, name])
		]},
	},
}

change(type, name, actions, before, after) := {
	"address": concat(".", [type, name]),
	"mode": "managed",
	"type": type,
	"name": name,
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
	every document in [{"format_version": "1.0", "values": {}}, object.union(plan([]), {"errored": true})] {
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

	abandons := {"access": {"expressions": object.union(
		provider_config.access.expressions,
		{"deletion_policy": {"constant_value": "abandon"}},
	)}}
	denied_input(plan_of([deleted], abandons)) == set()
}

test_role_without_description_is_denied if {
	every description in [null, "", " \n"] {
		denied([role("a", {"description": description})]) == {"access_listing_role.a: the role has no description."}
	}
	unknown := object.union(role("a", {"description": null}), {"change": {"after_unknown": {"description": true}}})
	denied([unknown]) == set()
}

test_roles_of_one_priority_are_denied if {
	denied([role("a", {}), role("b", {})]) == {"access_listing_role.a, access_listing_role.b: these roles of a listing have one priority."}
	denied([role("a", {}), role("b", {"listing": "production"})]) == set()
}

test_base_url_must_be_known_and_allowed if {
	elsewhere := {"access": {"expressions": {"base_url": {"constant_value": "https://example.com"}}}}
	denied_input(plan_of([], elsewhere)) == {"provider access: https://example.com is not in `allowed.base_urls`."}

	every config in [{"access": {}}, {"access": {"expressions": {"base_url": {"references": ["local.url"]}}}}] {
		count(denied_input(plan_of([], config))) == 1
	}

	variable := plan_of([], {"access": {"expressions": {"base_url": {"references": ["var.url"]}}}})
	of_region := object.union(variable, {"variables": {"url": {"value": "https://eu.access.example.com"}}})
	denied_input(of_region) == set()
	of_other := object.union(variable, {"variables": {"url": {"value": "https://example.com"}}})
	count(denied_input(of_other)) == 1
}

in_module(module, index) := object.union(role("this", {}), {
	"address": sprintf("%s.access_listing_role.this[%d]", [module, index]),
	"module_address": module,
})

module_with_provider(key) := {"module": {"resources": [{
	"address": "access_listing_role.this",
	"type": "access_listing_role",
	"provider_config_key": key,
}]}}

two_regions(changes) := object.union(plan(changes), {"configuration": {
	"provider_config": {
		"access.eu": provider_config.access,
		"access.us": provider_config.access,
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

test_same_names_in_two_regions_are_two_objects if {
	denied_input(two_regions([in_module("module.eu", 0), in_module("module.us", 0)])) == set()

	# The key of an instance may contain brackets.
	same := two_regions([in_module(`module.eu["[0]\"]"]`, 0), in_module("module.eu", 1)])
	count(denied_input(same)) == 1
}
