# Rules for the plan of a configuration that manages access: input is the output of `terraform show -json`.
#
# A plan is refused if it cannot be checked: what is known only after the apply, or comes from an
# environment variable, is not in it. `allowed.off` in the data contains the names of rules that do not count.
package access

import rego.v1

rules := {"owners", "two_owners", "destroy", "descriptions", "priorities", "base_urls"}

deny contains "the input is not a plan: pass the output of `terraform show -json` for a saved plan." if not is_plan

is_plan if {
	input.planned_values
	input.configuration
}

deny contains "the plan is incomplete: it has failed." if input.errored == true

deny contains "the plan is incomplete: it defers changes." if count(input.deferred_changes) > 0

deny contains message if {
	some name in off
	not name in rules
	message := sprintf("`allowed.off` contains %s, which is not a rule: %s.", [name, concat(", ", sort(rules))])
}

# Values that the plan must contain.
checked := {
	"access_integration_owner": {"owner": "owners", "integration": "two_owners"},
	"access_integration_owners": {"owners": "owners", "integration": "two_owners"},
	"access_listing_role": {"description": "descriptions", "listing": "priorities", "priority": "priorities"},
}

deny contains message if {
	some change in remaining
	some name, rule in checked[change.type]
	is_on(rule)
	is_unknown(change, name)
	message := sprintf("%s: %s is known only after the apply, so it cannot be checked.", [change.address, name])
}

# Rule "owners": owners are teams or groups.

deny contains message if {
	is_on("owners")
	some change in remaining
	some owner in owners(change)
	is_string(owner)
	not startswith(owner, "teams/")
	not startswith(owner, "groups/")
	message := sprintf("%s: the owner %s is not a team or a group.", [change.address, owner])
}

# Rule "two_owners": an integration keeps two owners.

deny contains message if {
	is_on("two_owners")
	some change in remaining
	change.type == "access_integration_owners"
	not is_unknown(change, "owners")
	count({owner | some owner in change.change.after.owners}) < 2
	message := sprintf("%s: an integration needs two owners.", [change.address])
}

# Owners that the configuration does not contain are not in the plan, so only those that it keeps count.
# An integration to which owners are only added is none of this rule's business.
deny contains message if {
	is_on("two_owners")
	some change in destroyed
	change.type in {"access_integration_owner", "access_integration_owners"}
	integration := change.change.before.integration
	service := service_of(key_of(change))
	kept := {owner |
		some other in remaining
		other.change.after.integration == integration
		service_of(key_of(other)) == service
		some owner in owners(other)
	}
	count(kept) < 2
	message := sprintf("%s: the configuration keeps %d of two owners of the integration %s.", [change.address, count(kept), integration])
}

# The owners of another region must not stand in for those that are removed.
deny contains message if {
	is_on("two_owners")
	some change in destroyed
	change.type in {"access_integration_owner", "access_integration_owners"}
	not has_one_service(change)
	message := sprintf("%s: the plan does not show from which region, so the owners that stay cannot be counted. If the block is deleted, keep it with `count = 0` or an empty `for_each` for this apply.", [change.address])
}

has_one_service(change) if {
	key := key_of(change)
	not has_instances(key)
}

# OpenTofu's provider configurations with `for_each`.
has_instances(key) if {
	some reference in input.configuration.provider_config[key].expressions.base_url.references
	startswith(reference, "each.")
}

# Rule "destroy": nothing is destroyed, unless the data allows its address.

deny contains message if {
	is_on("destroy")
	some change in destroyed
	not may_be_destroyed(change.address)
	message := sprintf("%s: the plan destroys it. Set `deletion_policy = \"abandon\"`, write a `removed` block, or add the address to `allowed.destroy`.", [change.address])
}

may_be_destroyed(address) if address in allowed_to_be_destroyed

# In a pattern, `*` stands for any text, and everything else for itself.
may_be_destroyed(address) if {
	some pattern in allowed_to_be_destroyed
	contains(pattern, "*")
	characters := [part |
		some character in split(pattern, "")
		part := regex_of(character)
	]
	regex.match(concat("", ["(?s)^", concat("", characters), "$"]), address)
}

regex_of(character) := ".*" if character == "*"

regex_of(character) := concat("", [`\`, character]) if {
	character != "*"
	contains(`\.+?()|[]{}^$`, character)
}

regex_of(character) := character if not contains(`*\.+?()|[]{}^$`, character)

# Rule "descriptions": every role has a description, with a letter or a digit. Blanks, marks and invisible
# characters describe nothing.

deny contains message if {
	is_on("descriptions")
	some change in roles
	not is_unknown(change, "description")
	not has_description(change)
	message := sprintf("%s: the role has no description.", [change.address])
}

has_description(change) if {
	is_string(change.change.after.description)
	regex.match(letters_and_digits, change.change.after.description)
}

# In ranges, because not every interpreter of Rego has classes of Unicode.
letters_and_digits := `[0-9A-Za-z\x{c0}-\x{34e}\x{370}-\x{61b}\x{620}-\x{115e}\x{1161}-\x{167f}\x{1681}-\x{17b3}\x{17b6}-\x{180a}\x{1810}-\x{1fff}\x{2c00}-\x{2fff}\x{3005}-\x{3163}\x{3165}-\x{d7ff}\x{f900}-\x{fdcf}\x{10000}-\x{1bc9f}\x{20000}-\x{3ffff}]`

# Rule "priorities": no two roles of a listing share a priority.

deny contains message if {
	is_on("priorities")
	some addresses in addresses_by_priority
	count(addresses) > 1
	message := sprintf("%s: these roles of a listing have one priority.", [concat(", ", sort(addresses))])
}

addresses_by_priority[key] contains change.address if {
	some change in roles
	key := json.marshal([service_of(provider_key(change)), change.change.after.listing, change.change.after.priority])
}

# Rule "base_urls": `base_url` is one of the regions, or not set, so the environment decides. The plan shows
# the variables of an expression, but not what the expression makes of them.

deny contains message if {
	is_on("base_urls")
	some key in provider_configurations
	sets_base_url(key)
	not base_url(key)
	message := sprintf("provider %s: `base_url` cannot be checked. Write a text without variables or functions, or leave it out and set ACCESS_BASE_URL.", [key])
}

deny contains message if {
	is_on("base_urls")
	some key in provider_configurations
	url := base_url(key)
	not url in {trim_suffix(region, "/") | some region in allowed_base_urls}
	message := sprintf("provider %s: %s is not in `allowed.base_urls`.", [key, url])
}

# `base_url = null` is the same as none.
sets_base_url(key) if {
	expression := input.configuration.provider_config[key].expressions.base_url
	not is_null(object.get(expression, "constant_value", ""))
}

base_url(key) := trim_suffix(url, "/") if {
	url := input.configuration.provider_config[key].expressions.base_url.constant_value
	is_string(url)
}

# What the data allows: nothing, if it is missing.

default allowed_base_urls := []

allowed_base_urls := data.allowed.base_urls

default allowed_to_be_destroyed := []

allowed_to_be_destroyed := data.allowed.destroy

default off := []

off := data.allowed.off

is_on(rule) if not rule in off

# The plan's changes.

types := {type | some type, _ in checked}

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

# The provider's policy counts if the state has none. The plan does not show which provider configuration
# deletes an object whose block is gone, and it may be the default one, without a block of its own. So all of
# them must have the policy, and the default one must be among them.
is_abandoned(change) if {
	object.get(change.change.before, "deletion_policy", null) == null
	keys := configurations_of(change.provider_name)
	some key in keys
	is_default(key)
	every other in keys {
		input.configuration.provider_config[other].expressions.deletion_policy.constant_value == "abandon"
	}
}

owners(change) := [change.change.after.owner] if change.type == "access_integration_owner"

owners(change) := change.change.after.owners if change.type == "access_integration_owners"

# Of a set, single elements may be unknown.
is_unknown(change, name) if change.change.after_unknown[name] == true

is_unknown(change, name) if true in change.change.after_unknown[name]

# The provider configurations of this provider, whether a resource uses them or not.

provider_configurations contains key if {
	some name in provider_names
	some key in configurations_of(name)
}

provider_configurations contains key if some key in provider_keys

provider_names contains change.provider_name if some change in changes

provider_names contains input.configuration.provider_config[key].full_name if some key in provider_keys

provider_names contains config.full_name if {
	some config in input.configuration.provider_config
	endswith(config.full_name, "/access/access")
}

configurations_of(provider_name) := {key |
	some key, config in input.configuration.provider_config
	config.full_name == provider_name
}

is_default(key) if {
	config := input.configuration.provider_config[key]
	not config.alias
	not config.module_address
}

# The provider configuration of a change: that of its block. For a deleted block, the only one there is.
key_of(change) := provider_key(change) if provider_key(change) != ""

key_of(change) := key if {
	provider_key(change) == ""
	some key in configurations_of(change.provider_name)
	configurations_of(change.provider_name) == {key}
	is_default(key)
}

# What tells one service from another, because one ID can name objects of two: the address if it is known, and
# else the provider configuration.
service_of(key) := base_url(key)

service_of(key) := "the environment" if {
	input.configuration.provider_config[key]
	not sets_base_url(key)
}

service_of(key) := key if {
	not base_url(key)
	sets_base_url(key)
}

service_of(key) := key if not input.configuration.provider_config[key]

# The provider configuration of a resource, or an empty text if its block is gone.

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

# `module_calls`, a name, `module`, and so on.
is_module_path(path) if {
	count(path) % 3 == 0
	every i, part in path {
		steps := ["module_calls", part, "module"]
		steps[i % 3] == part
	}
}
