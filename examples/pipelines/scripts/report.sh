#!/bin/sh
# Prints the access report of a plan.
#
#   report.sh DIRECTORY [ARGUMENTS]   DIRECTORY contains plan.json; ARGUMENTS are those of
#                                     `terraform-provider-access report`
#
# The provider that the plan was made with writes the report: it is installed under one of two known addresses, and
# Terraform has compared it with the hashes in .terraform.lock.hcl. A pull request could bring another one, so a
# lock file with another provider called access is refused. PROVIDER_BINARY names a binary in its place.
set -eu
plan=$1/plan.json
shift
root=${TF_ROOT:-.}
provider=${PROVIDER_BINARY:-}
if [ -z "$provider" ]; then
  # Such as registry.terraform.io/access/access/0.1.0/linux_amd64.
  selected=$(CHECKPOINT_DISABLE=1 "${TERRAFORM:-terraform}" -chdir="$root" version -json | jq -r '
    [.provider_selections // {} | to_entries[] | select(.key | endswith("/access"))] as $found
    | if $found | length == 1 and (.[0].key | test("^registry[.](terraform[.]io|opentofu[.]org)/access/access$"))
      then "\($found[0].key)/\($found[0].value)/\(.platform)" else empty end')
  [ -n "$selected" ] || {
    echo "$root/.terraform.lock.hcl must contain the provider access/access, and no other provider called access." >&2
    exit 1
  }
  provider=$(find -L "$root/.terraform/providers/$selected" -type f -name 'terraform-provider-access*' || :)
fi
[ -f "$provider" ] || {
  echo "Set PROVIDER_BINARY to the provider: $root/.terraform does not contain the one in .terraform.lock.hcl." >&2
  exit 1
}
"$provider" report "$plan" "$@"
