# shellcheck shell=sh
# shellcheck disable=SC2034 # the scripts that source this file read `forge`
# Functions for comment.sh and drift-issue.sh. Sourced, not run.
#
# On GitHub, whose runners have it, the scripts use `gh`. Elsewhere they use the API: GitLab's images do not
# have `glab`, which edits comments only as an experiment, and `az` cannot comment on pull requests.
#
# The forge is recognised by the variables that its runners set. Tokens:
#   GitHub   GITHUB_TOKEN, the token of the job
#   GitLab   GITLAB_TOKEN, a project access token with the scope `api` and the role Reporter;
#            the API for notes and issues does not accept CI_JOB_TOKEN
#   Azure    SYSTEM_ACCESSTOKEN, the token of the job

# Prints a message to standard error and ends the script.
fail() {
  echo "$1" >&2
  exit 1
}

# Sets `forge`, and either the variables of `gh`, or `api` and `authorization`.
detect_forge() {
  if [ "${GITHUB_ACTIONS:-}" = true ]; then
    forge=github
    GH_TOKEN=${GITHUB_TOKEN:?Set GITHUB_TOKEN to the token of the job.}
    # `gh` reads this one for a GitHub Enterprise Server.
    GH_ENTERPRISE_TOKEN=$GH_TOKEN
    GH_HOST=${GITHUB_SERVER_URL:?}
    GH_HOST=${GH_HOST#*://}
    GH_REPO=${GITHUB_REPOSITORY:?}
    export GH_TOKEN GH_ENTERPRISE_TOKEN GH_HOST GH_REPO
  elif [ "${GITLAB_CI:-}" = true ]; then
    forge=gitlab
    api=${CI_API_V4_URL:?}/projects/${CI_PROJECT_ID:?}
    authorization="PRIVATE-TOKEN: ${GITLAB_TOKEN:?Set GITLAB_TOKEN to a project access token.}"
  elif [ "${TF_BUILD:-}" = True ]; then
    forge=azure
    # The project by its ID: names may contain blanks.
    api=${SYSTEM_COLLECTIONURI:?}${SYSTEM_TEAMPROJECTID:?}/_apis
    authorization="Authorization: Bearer ${SYSTEM_ACCESSTOKEN:?Map SYSTEM_ACCESSTOKEN into the step.}"
  else
    fail "This is not a job of GitHub Actions, GitLab CI or Azure Pipelines."
  fi
}

# Prints the body of the response:  request METHOD PATH [TYPE] < BODY
# PATH is below `api`. A GET has no body. Any status but 2xx ends the script.
request() {
  method=$1
  path=$2
  content_type=${3:-application/json}
  exchange=$(mktemp -d)
  if [ "$method" = GET ]; then : >"$exchange/body"; else cat >"$exchange/body"; fi
  # The token is passed in a file, because other users of the machine can read arguments.
  printf 'header = "%s"\n' "$authorization" >"$exchange/config"
  set -- --config "$exchange/config" --silent --show-error --max-time 60 --retry 3 \
    --request "$method" --header "User-Agent: access-pipeline" --output "$exchange/response" \
    --write-out '%{http_code}'
  if [ "$method" != GET ]; then
    set -- "$@" --header "Content-Type: $content_type" --data-binary "@$exchange/body"
  fi
  status=$(curl "$@" "$api$path") || status=000
  case $status in
    2??) cat "$exchange/response" ;;
    *)
      echo "$method $api$path: status $status" >&2
      if [ -s "$exchange/response" ]; then head -c 2000 "$exchange/response" >&2; fi
      rm -r "$exchange"
      return 1
      ;;
  esac
  rm -r "$exchange"
}

# Prints the elements of a paged list, one JSON value in each line:  pages PATH
# PATH ends in a query. GitLab counts pages from 1 and returns fewer elements on the last.
pages() {
  page=1
  while :; do
    elements=$(request GET "$1&per_page=100&page=$page") || return 1
    printf '%s\n' "$elements" | jq -c '.[]'
    if [ "$(printf '%s\n' "$elements" | jq length)" -lt 100 ]; then return 0; fi
    page=$((page + 1))
  done
}
