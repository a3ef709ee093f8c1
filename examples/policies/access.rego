# Rules for the plan of a configuration that manages access: input is the output of `terraform show -json`.
#
# A plan is refused if it cannot be checked: what is known only after the apply, or comes from an
# environment variable, is not in it.
package access

import rego.v1

deny contains "the input is not a plan: pass the output of `terraform show -json` for a saved plan." if not input.planned_values

deny contains "the plan is incomplete: it has failed." if input.errored == true

# Rule 1: owners are teams or groups.

deny contains message if {
	some change in remaining
	some owner in owners(change)
	is_string(owner)
	not startswith(owner, "teams/")
	not startswith(owner, "groups/")
	message := sprintf("%s: the owner %s is not a team or a group.", [change.address, owner])
}

deny contains message if {
	some change in remaining
	some name in ["owner", "owners"]
	is_unknown(change, name)
	message := sprintf("%s: %s is known only after the apply, so it cannot be checked.", [change.address, name])
}

# Rule 2: an integration keeps two owners.

deny contains message if {
	some change in remaining
	change.type == "access_integration_owners"
	not is_unknown(change, "owners")
	count(change.change.after.owners) < 2
	message := sprintf("%s: an integration needs two owners.", [change.address])
}

# Owners that the configuration does not contain are not in the plan, so only those that it keeps count.
# An integration to which owners are only added is none of this rule's business.
deny contains message if {
	some change in destroyed
	change.type == "access_integration_owner"
	integration := change.change.before.integration
	some key in regions(change)
	kept := {other.change.after.owner | some other in owners_of_integration[integration]; provider_key(other) == key}
	count(kept) < 2
	message := sprintf("%s: the configuration keeps %d of two owners of the integration %s.", [change.address, count(kept), integration])
}

owners_of_integration[other.change.after.integration] contains other if {
	some other in remaining
	other.type == "access_integration_owner"
}

# The plan does not show the provider configuration of a deleted block. Each one counts that has owners of
# the integration in the same module.
regions(change) := {key} if {
	key := provider_key(change)
	key != ""
} else := keys if {
	keys := {provider_key(other) |
		some other in owners_of_integration[change.change.before.integration]
		object.get(other, "module_address", "") == object.get(change, "module_address", "")
	}
	count(keys) > 0
} else := {""}

# Rule 3: nothing is destroyed, unless the data allows its address.

deny contains message if {
	some change in destroyed
	not change.address in allowed_to_be_destroyed
	message := sprintf("%s: the plan destroys it. Set `deletion_policy = \"abandon\"`, write a `removed` block, or add the address to `allowed.destroy`.", [change.address])
}

# Rule 4: every role has a description.

deny contains message if {
	some change in roles
	not is_unknown(change, "description")
	not has_description(change)
	message := sprintf("%s: the role has no description.", [change.address])
}

has_description(change) if {
	description := change.change.after.description
	is_string(description)
	trim_space(description) != ""
}

# Rule 5: no two roles of a listing share a priority.

deny contains message if {
	some addresses in addresses_by_priority
	count(addresses) > 1
	message := sprintf("%s: these roles of a listing have one priority.", [concat(", ", sort(addresses))])
}

addresses_by_priority[key] contains change.address if {
	some change in roles
	key := json.marshal([provider_key(change), change.change.after.listing, change.change.after.priority])
}

# Rule 6: `base_url` is one of the regions.

deny contains message if {
	some key in used_provider_keys
	not base_url(key)
	message := sprintf("provider %s: `base_url` cannot be checked. Set it in the provider block, as a text or as a variable of the top module.", [key])
}

deny contains message if {
	some key in used_provider_keys
	url := base_url(key)
	not trim_suffix(url, "/") in allowed_base_urls
	message := sprintf("provider %s: %s is not in `allowed.base_urls`.", [key, url])
}

base_url(key) := input.configuration.provider_config[key].expressions.base_url.constant_value

base_url(key) := input.variables[name].value if {
	config := input.configuration.provider_config[key]
	not config.module_address
	[reference] := config.expressions.base_url.references
	startswith(reference, "var.")
	name := trim_prefix(reference, "var.")
}

# What the data allows: nothing, if it is missing.

default allowed_base_urls := []

allowed_base_urls := data.allowed.base_urls

default allowed_to_be_destroyed := []

allowed_to_be_destroyed := data.allowed.destroy

# The plan's changes.

types := {"access_listing_role", "access_integration_owner", "access_integration_owners"}

changes contains change if {
	some change in input.resource_changes
	change.mode == "managed"
	change.type in types
}

# Objects that the configuration has after the apply, changed or not.
remaining contains change if {
	some change in changes
	change.change.after != null
}

roles contains change if {
	some change in remaining
	change.type == "access_listing_role"
}

# Objects that the apply deletes at the service, also to replace them.
destroyed contains change if {
	some change in changes
	"delete" in change.change.actions
	not is_abandoned(change)
}

is_abandoned(change) if change.change.before.deletion_policy == "abandon"

# The provider's policy counts if the state has none. For a deleted block, every provider configuration
# must have it.
is_abandoned(change) if {
	object.get(change.change.before, "deletion_policy", null) == null
	keys := {key | some key in used_provider_keys; provider_key(change) in {"", key}}
	count(keys) > 0
	every key in keys {
		input.configuration.provider_config[key].expressions.deletion_policy.constant_value == "abandon"
	}
}

owners(change) := [change.change.after.owner] if change.type == "access_integration_owner"

owners(change) := change.change.after.owners if change.type == "access_integration_owners"

# Of a set, single elements may be unknown.
is_unknown(change, name) if change.change.after_unknown[name] == true

is_unknown(change, name) if true in change.change.after_unknown[name]

# The provider configuration of a resource: one ID can name objects of two regions.

provider_key(change) := object.get(provider_keys, configuration_address(change), "")

# The address without the keys of instances: `module.eu.access_listing_role.this`.
configuration_address(change) := concat(".", array.concat(module, [change.type, change.name])) if {
	module := [regex.replace(change.module_address, `\[("([^"\\]|\\.)*"|[0-9]+)\]`, "")]
} else := concat(".", [change.type, change.name])

provider_keys[address] := resource.provider_config_key if {
	some path, module
	walk(input.configuration.root_module, [path, module])
	is_module_path(path)
	some resource in module.resources
	startswith(resource.type, "access_")
	names := [concat(".", ["module", name]) | some i, name in path; i % 3 == 1]
	address := concat(".", array.concat(names, [resource.address]))
}

used_provider_keys := {key | some key in provider_keys}

# `module_calls`, a name, `module`, and so on.
is_module_path(path) if {
	count(path) % 3 == 0
	every i, part in path {
		steps := ["module_calls", part, "module"]
		steps[i % 3] == part
	}
}
