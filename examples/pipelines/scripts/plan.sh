#!/bin/sh
# Plans, and keeps the plan for apply.sh with a summary for people.
#
#   plan.sh [DIRECTORY]     where the results go; default: access-plan
#
# Results:    DIRECTORY/plan        what apply.sh applies; it holds values of the state
#             DIRECTORY/summary.md  what would change
# Exit code:  0 planned, whether anything would change or not; else Terraform's
#
# Needs an initialised working directory and ACCESS_API_KEY; a key that may only read is enough.
# TERRAFORM names another command than terraform.
set -eu
results=${1:-access-plan}
scripts=$(dirname "$0")

# The plan holds values of the state.
umask 077
mkdir -p "$results"
# A plan of an earlier run must not be applied in place of this one.
rm -f "$results/plan" "$results/summary.md"
"${TERRAFORM:-terraform}" plan -input=false -no-color -lock-timeout=5m -out="$results/plan"
sh "$scripts/summary.sh" Plan "$results/plan" >"$results/summary.md"
