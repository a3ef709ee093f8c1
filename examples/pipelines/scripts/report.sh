#!/bin/sh
# Prints the access report of a plan.
#
#   report.sh DIRECTORY [ARGUMENTS]   DIRECTORY contains plan; ARGUMENTS are those of
#                                     `terraform-provider-access report`
#
# PROVIDER_BINARY writes the report; default: the provider that `init` has installed. TERRAFORM selects
# the command: terraform (default) or tofu.
set -eu
results=$1
shift
provider=${PROVIDER_BINARY:-$(find -L "${TF_DATA_DIR:-.terraform}/providers" -type f \
  -path '*/access/*' -name 'terraform-provider-access*' 2>/dev/null | sort | tail -n 1)}
[ -n "$provider" ] || { echo "Set PROVIDER_BINARY to the provider: it is not in .terraform." >&2 && exit 1; }
plan=$("${TERRAFORM:-terraform}" show -json "$results/plan")
printf '%s\n' "$plan" | "$provider" report "$@"
