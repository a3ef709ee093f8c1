#!/bin/sh
# Prints the base addresses that the environment sets, one line each: ACCESS_BASE_URL, and every variable of
# the configuration whose name ends in base_url. Refuses files in TF_ROOT whose values Terraform prefers to these.
#
# plan.sh keeps them beside the plan, and apply.sh compares. A create does not contain the address it was planned
# for: with another one, it would overwrite a role of another region.
set -eu
root=${TF_ROOT:-.}
for file in "$root"/terraform.tfvars "$root"/terraform.tfvars.json "$root"/*.auto.tfvars "$root"/*.auto.tfvars.json; do
  # JSON may write letters as \u and four digits.
  if [ -f "$file" ] && grep -q -e base_url -e '\\u' "$file"; then
    echo "$file sets a base address, or may do so, in place of the environment. Remove it." >&2
    exit 1
  fi
done
env | grep -E '^(ACCESS_BASE_URL|TF_VAR_([A-Za-z0-9_-]*_)?base_url)=.' | LC_ALL=C sort
