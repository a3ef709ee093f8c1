#!/bin/sh
# Prints the access report of a plan.
#
#   report.sh DIRECTORY [ARGUMENTS]   DIRECTORY contains plan; ARGUMENTS are those of
#                                     `terraform-provider-access report`
#
# The provider that .terraform.lock.hcl names writes the report: Terraform has compared it with the hashes there
# when it planned. Every other file in .terraform could come from a commit. PROVIDER_BINARY names another binary.
# TERRAFORM selects the command: terraform (default) or tofu.
set -eu
results=$1
shift
provider=${PROVIDER_BINARY:-}
if [ -z "$provider" ]; then
  # Such as registry.terraform.io/access/access/0.1.0. Two providers of this name are two lines, and no path.
  locked=$(sed -n '/^provider ".*\/access" {/,/^}/{
    s/^provider "\(.*\)" {.*/\1/p
    s/^ *version *= "\(.*\)"/\1/p
  }' .terraform.lock.hcl | paste -s -d / -)
  provider=$(find -L "${TF_DATA_DIR:-.terraform}/providers/${locked:-none}" -type f -name 'terraform-provider-access*' 2>/dev/null || :)
fi
[ -f "$provider" ] || {
  echo "Set PROVIDER_BINARY to the provider: the one in .terraform.lock.hcl is not in .terraform." >&2
  exit 1
}
plan=$("${TERRAFORM:-terraform}" show -json "$results/plan")
printf '%s\n' "$plan" | "$provider" report "$@"
