#!/bin/sh
# Detects changes that were made outside Terraform, and changes nothing.
#
#   drift.sh [DIRECTORY]    where the results go; default: access-drift
#
# Results:    DIRECTORY/summary.md     what was changed, and what the next apply corrects, if there is drift
#             DIRECTORY/unchecked.txt  what was not compared, if there is no drift
#             DIRECTORY/report.json    the access report, if there is no drift
#             DIRECTORY/unapplied.txt  commits that are not applied yet, if APPLIED_BRANCH is set
# Exit code:  0 no drift in what could be read, or nothing was applied yet; 2 drift; 1 the check failed,
#             or nothing could be read
#
# APPLIED_BRANCH names the branch that apply.sh moves to the applied commit. If it is set, this script
# plans that commit in a Git worktree of its own, where it runs `init`: whatever the plan shows was
# changed outside Terraform. Commits that are merged but not applied are listed, and are not drift.
# Files that are not committed, such as generated *.auto.tfvars, are not in the worktree. Select a
# workspace with TF_WORKSPACE. If APPLIED_BRANCH is not set, the script plans the configuration as it is,
# which must be initialised and applied.
#
# Needs jq and ACCESS_API_KEY; a read-only key is enough. TF_ROOT is the directory of the configuration
# (default: the working directory). TERRAFORM selects the command: terraform (default) or tofu.
set -eu
has_drift=no
worktree=

# Removes the worktree. Exit code 2 means drift and nothing else, but failed commands can end the script
# with 2 as well, such as jq, or cd in dash.
finish() {
  code=$?
  trap - EXIT
  set +e
  if [ -n "$worktree" ]; then
    git -C "$repository" worktree remove --force "$worktree/applied"
    rmdir "$worktree"
  fi
  if [ "$code" -ne 0 ] && [ "$has_drift" = no ]; then code=1; fi
  exit "$code"
}
trap finish EXIT
trap 'exit 1' HUP INT TERM

# Prints a message to standard error and ends the script.
fail() {
  echo "$1" >&2
  exit 1
}

# Terraform adds the variables to the arguments of every plan.
case "${1:-} ${TF_CLI_ARGS:-} ${TF_CLI_ARGS_plan:-}" in
  *-minimal-refresh* | *-refresh=*)
    fail "A drift check must read every object, and -minimal-refresh and -refresh=false skip reads. Remove them from this job, TF_CLI_ARGS and TF_CLI_ARGS_plan."
    ;;
esac

results=${1:-access-drift}
scripts=$(cd "$(dirname "$0")" && pwd)
terraform=${TERRAFORM:-terraform}

# The plan contains values of the state.
umask 077
mkdir -p "$results"
results=$(cd "$results" && pwd)
unchecked=$results/unchecked.txt
rm -f "$results/plan" "$results/summary.md" "$unchecked" "$results/unapplied.txt" "$results/messages.jsonl" \
  "$results/report.json"
cd "${TF_ROOT:-.}"

# Prints the commit of the branch at the origin, or nothing if the branch does not exist.
applied_commit() {
  line=$(git -C "$repository" ls-remote --quiet origin "refs/heads/$APPLIED_BRANCH") ||
    fail "The branch $APPLIED_BRANCH could not be read from origin."
  printf '%s\n' "${line%%[!0-9a-f]*}"
}

planned="The plan"
if [ -n "${APPLIED_BRANCH:-}" ]; then
  repository=$(git rev-parse --show-toplevel)
  applied=$(applied_commit)
  if [ -z "$applied" ]; then
    echo "Nothing was compared, because nothing was applied: the branch $APPLIED_BRANCH does not exist yet." | tee "$unchecked"
    exit 0
  fi
  git fetch --quiet origin "refs/heads/$APPLIED_BRANCH"
  applied=$(git rev-parse FETCH_HEAD)
  # Whoever can push the branch can hide drift behind a commit that contains it, and run a configuration of
  # their own here. So the commit must be one that was merged.
  git merge-base --is-ancestor "$applied" HEAD ||
    fail "The branch $APPLIED_BRANCH names commit $applied, which the checked out branch does not contain: somebody may have moved it, or this is not the whole history of the branch that is applied. Nothing was compared."
  git log --format='%h %s' "$applied..HEAD" -- . >"$results/unapplied.txt"
  if [ -s "$results/unapplied.txt" ]; then
    echo "Commits that are not applied yet:"
    sh "$scripts/inert.sh" "  " <"$results/unapplied.txt"
  fi
  planned="The plan of commit $(git rev-parse --short "$applied")"
  prefix=$(git rev-parse --show-prefix)
  worktree=$(mktemp -d)
  git worktree add --quiet --detach "$worktree/applied" "$applied"
  cd "$worktree/applied/$prefix" || fail "The commit that was applied last does not contain $prefix."
  if ! "$terraform" init -input=false -no-color -lockfile=readonly >"$results/init.txt" 2>&1; then
    sh "$scripts/inert.sh" "" <"$results/init.txt" >&2
    exit 1
  fi
fi

code=0
"$terraform" plan -json -detailed-exitcode -input=false -lock-timeout=5m -out="$results/plan" \
  >"$results/messages.jsonl" || code=$?
if [ "$code" -ne 0 ] && [ "$code" -ne 2 ]; then
  # Terraform keeps a plan that has failed. Its report would begin with "No change of access."
  rm -f "$results/plan"
  sh "$scripts/summary.sh" "The drift check failed" "$results" >&2
  exit 1
fi
"$terraform" show -json "$results/plan" >"$results/plan.json"

# A check that read nothing must not be taken for one that found nothing.
off=$(jq -r '.configuration.provider_config // {} | .[] | select(.full_name | endswith("/access"))
  | .expressions.drift_detection // empty | select(.constant_value != "auto") | "off"' "$results/plan.json")
if [ -n "$off" ] || [ "${ACCESS_DRIFT_DETECTION:-}" = off ]; then
  fail 'drift_detection is or may be "off", so the plan reads nothing. Use "auto", or set ACCESS_DRIFT_DETECTION in other jobs.'
fi

# Data sources that are read during an apply, such as those inside a `check` block, make exit code 2 as
# well, and are no changes.
count=$(jq '[(.resource_changes // [] | .[].change), (.output_changes // {} | .[])
  | select(.actions != ["no-op"] and .actions != ["read"])] | length' "$results/plan.json")
if [ "$count" -gt 0 ]; then
  if [ -n "$worktree" ]; then
    now=$(applied_commit)
    [ "$now" = "$applied" ] || fail "Another commit was applied during this check. Run it again."
  fi
  sh "$scripts/summary.sh" "What the next apply corrects" "$results" "Changed outside Terraform" \
    >"$results/summary.md"
  if [ -s "$results/unapplied.txt" ]; then
    {
      printf '\n### Commits that are not applied yet\n\n'
      # A hundred at most, because the summary becomes the text of an issue.
      head -n 100 "$results/unapplied.txt" | cut -c 1-100 | sh "$scripts/inert.sh" "    "
    } >>"$results/summary.md"
  fi
  cat "$results/summary.md"
  has_drift=yes
  exit 2
fi

# The provider warns about what it did not compare: no reads, skipped entries of a list, or stale reads.
jq -nrR '[inputs | fromjson? | select(.type == "diagnostic") | .diagnostic
  | select(.severity == "warning") | .summary
  | select(test("^Drift detection |were skipped$|older version$"))] | unique[]
' "$results/messages.jsonl" >"$unchecked"
if [ -s "$unchecked" ]; then
  sh "$scripts/inert.sh" "" <"$unchecked" >&2
  roles=$(jq '[.prior_state.values.root_module // {} | .. | objects
    | select(.mode? == "managed" and .type == "access_listing_role")] | length' "$results/plan.json")
  # Either roles were not read, or there is nothing but owners, which were not read.
  unread=$(grep '^Drift detection ' "$unchecked" || :)
  if [ -n "$unread" ] && { [ "$roles" -eq 0 ] || printf '%s\n' "$unread" | grep -qv owners; }; then
    fail "Drift cannot be detected: the service does not offer reads, or this key may not use them."
  fi
  echo "There is no drift in what could be read." >&2
  exit 0
fi

# An owner who was added outside shows where a resource or a data source has all owners of the integration.
sh "$scripts/report.sh" "$results" --format json >"$results/report.json"
unmanaged=$(jq -r '.drift[] | select(.unmanaged) | "\(.principal) of \(.integration)"' "$results/report.json")
unseen=$(jq -r '.unseen_owners[]' "$results/report.json")
if [ -n "$unmanaged" ]; then
  echo "$planned has no changes. These owners are in no resource:"
  printf '%s\n' "$unmanaged" | sh "$scripts/inert.sh" "  "
fi
if [ -n "$unseen" ]; then
  echo "$planned has no changes. It does not show owners who were added outside Terraform to these integrations, because neither a resource nor a data source access_integration_owners lists them:"
  printf '%s\n' "$unseen" | sh "$scripts/inert.sh" "  "
fi
if [ -z "$unmanaged$unseen" ]; then
  echo "No drift. $planned has no changes."
fi
