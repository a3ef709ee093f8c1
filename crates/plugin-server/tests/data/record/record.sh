#!/usr/bin/env bash
# Records the cases of host_checks.jsonl with a version of Terraform: record.sh VERSION [OPTIONS]
#
#   tests/data/record/record.sh v1.15.0 >tests/data/host_checks.jsonl
#
# Needs Go, and the Go module proxy for the sources of Terraform.
set -euo pipefail
directory=$(mktemp -d)
trap 'chmod -R u+w "$directory" && rm -rf "$directory"' EXIT
version=$1
shift
source=$(cd "$directory" && go mod download -json "github.com/hashicorp/terraform@$version" |
  sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
[ -n "$source" ] || {
  echo "Terraform $version cannot be downloaded." >&2
  exit 1
}
main=$(cd "$(dirname "$0")" && pwd)/main.go
cp -r "$source" "$directory/terraform"
chmod -R u+w "$directory/terraform"
cd "$directory/terraform"
# Modules of the same repository are not part of this one, and no package here needs them.
sed -n 's/^replace \([^ ]*\) => \.\/.*/\1/p' go.mod | while read -r module; do
  go mod edit -dropreplace "$module" -droprequire "$module"
done
mkdir internal/record
cp "$main" internal/record/main.go
go run -mod=mod ./internal/record "$@"
