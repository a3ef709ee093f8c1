#!/bin/sh
# Detects changes that were made outside Terraform. Changes nothing, except with
# drift_detection = "patch", which reads roles by an update.
#
#   drift.sh [DIRECTORY]    where the results go; default: access-drift
#
# Results:    DIRECTORY/summary.md     what the next apply would correct, if there is drift
#             DIRECTORY/unchecked.txt  what was not compared, if there is no drift
#             DIRECTORY/unapplied.txt  commits that are not applied yet, if APPLIED_BRANCH is set
# Exit code:  0 no drift in what could be read; 2 drift; 1 the check failed, or drift detection is
#             unavailable
#
# APPLIED_BRANCH names the branch that apply.sh moves to the applied commit. If it is set, this script
# plans that commit in a Git worktree of its own: whatever the plan shows was changed outside
# Terraform. Commits that are merged but not applied are listed, and are not drift. Select a workspace
# with TF_WORKSPACE, because the worktree has no selected workspace. Files that are not committed, such
# as generated *.auto.tfvars, are not in it. If APPLIED_BRANCH is not set, the script plans the working
# directory, which must be initialised and applied.
#
# Needs jq and ACCESS_API_KEY. A read-only key is enough, except with drift_detection = "patch".
# TERRAFORM selects the command: terraform (default) or tofu.
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

results=${1:-access-drift}
scripts=$(cd "$(dirname "$0")" && pwd)
terraform=${TERRAFORM:-terraform}

# The plan contains values of the state.
umask 077
mkdir -p "$results"
results=$(cd "$results" && pwd)
rm -f "$results/plan" "$results/summary.md" "$results/unchecked.txt" "$results/unapplied.txt" \
  "$results/messages.jsonl"

if [ -n "${APPLIED_BRANCH:-}" ]; then
  code=0
  git ls-remote --quiet --exit-code origin "refs/heads/$APPLIED_BRANCH" >/dev/null || code=$?
  if [ "$code" -eq 2 ]; then
    echo "The branch $APPLIED_BRANCH does not exist yet. Run the apply job once." >&2
    exit 1
  elif [ "$code" -ne 0 ]; then
    echo "The branch $APPLIED_BRANCH could not be read from origin." >&2
    exit 1
  fi
  git fetch --quiet origin "refs/heads/$APPLIED_BRANCH"
  applied=$(git rev-parse FETCH_HEAD)
  git log --format='%h %s' "$applied..HEAD" -- . >"$results/unapplied.txt"
  if [ -s "$results/unapplied.txt" ]; then
    echo "Commits that are not applied yet:"
    sh "$scripts/inert.sh" "  " <"$results/unapplied.txt"
  fi
  prefix=$(git rev-parse --show-prefix)
  repository=$(git rev-parse --show-toplevel)
  worktree=$(mktemp -d)
  git worktree add --quiet --detach "$worktree/applied" "$applied"
  cd "$worktree/applied/$prefix" || {
    echo "The commit that was applied last does not contain $prefix." >&2
    exit 1
  }
  if ! "$terraform" init -input=false -no-color -lockfile=readonly >"$results/init.txt" 2>&1; then
    sh "$scripts/inert.sh" "" <"$results/init.txt" >&2
    exit 1
  fi
fi

code=0
"$terraform" plan -json -detailed-exitcode -input=false -lock-timeout=5m -out="$results/plan" \
  >"$results/messages.jsonl" || code=$?
if [ "$code" -ne 0 ] && [ "$code" -ne 2 ]; then
  sh "$scripts/summary.sh" "The drift check failed" "$results" >&2
  exit 1
fi

# Prints the summaries of the warnings that match a regular expression, each once:  warnings PATTERN
warnings() {
  jq -nrR --arg pattern "$1" '
    [
      inputs | fromjson? | select(.type == "diagnostic") | .diagnostic
      | select(.severity == "warning") | .summary | select(test($pattern))
    ] | unique[]
  ' "$results/messages.jsonl"
}

# Prints the effective drift_detection of each provider block that sets it: a constant, or a variable
# of the root module. "unknown" stands for every other expression.
settings() {
  printf '%s\n' "$1" | jq -r '
    .variables as $variables
    | .configuration.provider_config // {} | .[] | select(.full_name | endswith("/access"))
    | .module_address as $in_module | .expressions.drift_detection // empty
    | if has("constant_value") then .constant_value
      elif (.references | length) == 1 and (.references[0] | startswith("var.")) and ($in_module | not)
      then $variables[.references[0] | ltrimstr("var.")].value // "default"
      else "unknown" end
  '
}

# Prints the number of changes. Data sources that are read during an apply, such as those inside a
# `check` block, make exit code 2 as well, and are no changes.
changes() {
  printf '%s\n' "$1" | jq '[
    (.resource_changes // [] | .[].change), (.output_changes // {} | .[])
    | select(.actions != ["no-op"] and .actions != ["read"])
  ] | length'
}

# Prints the number of managed objects in the state whose type starts with this:  managed PREFIX
managed() {
  printf '%s\n' "$plan" | jq --arg prefix "$1" '[
    .prior_state.values.root_module // {} | .. | objects
    | select(.mode? == "managed" and (.type | startswith($prefix)))
  ] | length'
}

# A check that read nothing must not be taken for one that found nothing.
plan=$("$terraform" show -json "$results/plan") || exit 1
effective=$(settings "$plan") || exit 1
if [ "${ACCESS_DRIFT_DETECTION:-}" = off ] || printf '%s\n' "$effective" | grep -qx off; then
  echo "drift_detection is \"off\": the plan reads nothing, so this check cannot detect drift." >&2
  exit 1
fi
if printf '%s\n' "$effective" | grep -qx unknown; then
  echo "drift_detection is set by an expression that this check cannot evaluate." >&2
  echo "Use a constant, a variable of the root module, or ACCESS_DRIFT_DETECTION." >&2
  exit 1
fi

count=$(changes "$plan") || exit 1
if [ "$count" -gt 0 ]; then
  if [ -n "${APPLIED_BRANCH:-}" ]; then
    now=$(git -C "$repository" ls-remote --quiet origin "refs/heads/$APPLIED_BRANCH")
    if [ "${now%%[!0-9a-f]*}" != "$applied" ]; then
      echo "Another commit was applied during this check. Run it again." >&2
      exit 1
    fi
  fi
  sh "$scripts/summary.sh" "Changes made outside Terraform" "$results" >"$results/summary.md"
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

# Objects that were not compared must not be taken for objects without drift.
stale=$(warnings '^The service returned an older version') || exit 1
if [ -n "$stale" ]; then
  echo "Some objects were not compared, because reads lag behind writes." >&2
  echo "Run the check again in a few minutes." >&2
  exit 1
fi
roles=$(managed access_listing_role) || exit 1
owners=$(managed access_integration_owner) || exit 1
unchecked=$results/unchecked.txt
warnings '^(Drift detection |Entries of the list of .* were skipped)' >"$unchecked"
if [ "$owners" -gt 0 ] && printf '%s\n' "${ACCESS_DRIFT_DETECTION:-}" "$effective" | grep -qx patch; then
  echo 'Drift detection does not read integration owners with drift_detection = "patch".' >>"$unchecked"
fi
if [ -s "$unchecked" ]; then
  cat "$unchecked" >&2
  unread=$(grep '^Drift detection ' "$unchecked" || :)
  # Either roles were not read, or there is nothing but owners, which were not read.
  if [ -n "$unread" ] && { [ "$roles" -eq 0 ] || printf '%s\n' "$unread" | grep -qv owners; }; then
    echo "Drift detection is unavailable: the service does not offer reads, this key may not use them," >&2
    echo "or drift_detection is \"patch\" and the service has recorded no repository." >&2
    exit 1
  fi
  echo "There is no drift in what could be read." >&2
fi
