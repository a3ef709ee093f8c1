#!/bin/sh
# Prints the base addresses that the environment sets, one line each: ACCESS_BASE_URL, and every variable of
# the configuration whose name ends in base_url.
#
# plan.sh keeps them beside the plan, and apply.sh compares. A create does not contain the address it was planned
# for: with another one, it would overwrite a role of another region.
set -eu
env | grep -E '^(ACCESS_BASE_URL|TF_VAR_([A-Za-z0-9_-]*_)?base_url)=.' | LC_ALL=C sort || :
