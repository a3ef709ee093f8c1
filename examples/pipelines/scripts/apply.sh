#!/bin/sh
# Applies the plan that plan.sh kept: what was looked at, and nothing else. Terraform refuses it
# where the state has changed since.
#
#   apply.sh [DIRECTORY]    where plan.sh left it; default: access-plan
#
# Exit code:  0 applied; else Terraform's. Run plan.sh again after a failure.
#
# Needs an initialised working directory and ACCESS_API_KEY, this time one that may write.
# TERRAFORM names another command than terraform.
set -eu
results=${1:-access-plan}

if [ ! -f "$results/plan" ]; then
  echo "$results/plan is not there: run plan.sh first." >&2
  exit 1
fi
"${TERRAFORM:-terraform}" apply -input=false -no-color -lock-timeout=5m "$results/plan"
