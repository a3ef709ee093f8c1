#!/bin/sh
# Installs a release of the provider without a registry, on runners and laptops.
#
#   install-provider.sh           for this machine
#   install-provider.sh --lock    for every platform of the release, and writes their checksums to
#                                 .terraform.lock.hcl in TF_ROOT
#
# Checks SHA256SUMS and its signature, lays out a filesystem mirror for Terraform and OpenTofu in
# ~/.terraform-access, and writes a CLI configuration that uses it. Prints one line:
#   TF_CLI_CONFIG_FILE=/path/to/cli.tfrc
# If a check fails, the script ends with an error, and nothing has changed.
#
# PROVIDER_URL       required: a folder with the archives, or its address, such as
#                    https://github.com/ORGANISATION/terraform-provider-access/releases/download/v0.1.0
# PROVIDER_VERSION   such as 0.1.0; default: the version in .terraform.lock.hcl
# PROVIDER_KEY       file with the public key of the release; default: release-key.asc beside this script
# PROVIDER_UNSIGNED  `yes` accepts sums without a signature: anyone who can change the files at
#                    PROVIDER_URL can then change the provider
# PROVIDER_TOKEN     for a private repository on GitHub: a token that may read its contents, for `gh`
# TF_ROOT            directory of the configuration; default: the working directory
# TERRAFORM          the command for --lock: terraform (default) or tofu
#
# Needs sha256sum or shasum; gpg, unless PROVIDER_UNSIGNED is set; curl for an address.
set -eu
unset CDPATH

# Prints a message to standard error and ends the script.
fail() {
  echo "$1 Nothing was installed." >&2
  exit 1
}

absolute() {
  case $1 in /*) printf '%s\n' "$1" ;; *) printf '%s\n' "$PWD/$1" ;; esac
}

url=${PROVIDER_URL:?Set PROVIDER_URL to the folder with the archives.}
case $url in *://*) ;; *) url=$(absolute "$url") ;; esac
key=$(absolute "${PROVIDER_KEY:-$(dirname "$0")/release-key.asc}")
root=$(absolute "${TF_ROOT:-.}")
lock=$root/.terraform.lock.hcl
mirror=$HOME/.terraform-access

# The provider's block in the lock file, by either host.
block='/^provider *"registry[.][a-z.]*\/access\/access"/,/^}/'
version=${PROVIDER_VERSION:-}
if [ -z "$version" ] && [ -f "$lock" ]; then version=$(sed -n "$block s/^ *version *= *\"\(.*\)\"/\1/p" "$lock"); fi
[ -n "$version" ] || fail "Set PROVIDER_VERSION, such as 0.1.0: $lock does not name a version of access/access."
name=terraform-provider-access_$version
sums=${name}_SHA256SUMS

work=$(absolute "$(mktemp -d)")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work"

# Copies a file of the release into the working directory:  fetch FILE
fetch() {
  if [ -n "${PROVIDER_TOKEN:-}" ]; then
    GH_TOKEN=$PROVIDER_TOKEN GH_ENTERPRISE_TOKEN=$PROVIDER_TOKEN gh release download "${url##*/}" \
      --repo "${url%/releases/download/*}" --pattern "$1"
  elif [ -d "$url" ]; then
    cp "$url/$1" .
  else
    curl --fail --silent --show-error --location --retry 3 --netrc-optional --output "$1" "$url/$1"
  fi || fail "Could not get $1 from $url."
}

fetch "$sums"
if [ "${PROVIDER_UNSIGNED:-}" = yes ]; then
  echo "The signature of $sums is not checked, because PROVIDER_UNSIGNED is set." >&2
else
  [ -f "$key" ] || fail "$key does not exist. Save the public key of the release there, or set PROVIDER_KEY."
  fetch "$sums.sig"
  # A keyring with that key alone: a signature by any other key is an error.
  mkdir -m 700 keyring
  gpg --homedir "$work/keyring" --batch --quiet --import "$key" || fail "$key is not a public key."
  # GOODSIG is not printed for a key that has expired or was revoked.
  gpg --homedir "$work/keyring" --batch --quiet --status-fd 1 --verify "$sums.sig" "$sums" >status 2>messages || :
  if ! grep -q '^\[GNUPG:\] GOODSIG ' status; then
    cat messages >&2
    fail "The signature of $sums is not valid for $key."
  fi
fi

if [ "${1:-}" = --lock ]; then
  platforms=$(sed -n "s/.* [ *]${name}_\(.*\)\.zip$/\1/p" "$sums")
else
  system=$(uname -s | tr '[:upper:]' '[:lower:]')
  case $(uname -m) in
    x86_64 | amd64) platforms=${system}_amd64 ;;
    aarch64 | arm64) platforms=${system}_arm64 ;;
    i386 | i686) platforms=${system}_386 ;;
    armv6* | armv7*) platforms=${system}_arm ;;
    *) fail "There is no archive for $(uname -m)." ;;
  esac
fi
for platform in $platforms; do
  archive=${name}_$platform.zip
  expected=$(awk -v file="$archive" '$2 == file || $2 == "*" file { print $1 }' "$sums")
  [ -n "$expected" ] || fail "$sums has no line for $archive."
  fetch "$archive"
  found=$(if command -v sha256sum >/dev/null; then sha256sum "$archive"; else shasum -a 256 "$archive"; fi)
  [ "${found%% *}" = "$expected" ] || fail "$archive does not have the checksum in $sums."
  for registry in registry.terraform.io registry.opentofu.org; do
    old=$mirror/$registry/access/access/$archive
    # A version is signed once.
    if [ "${PROVIDER_UNSIGNED:-}" != yes ] && [ -f "$old" ] && ! cmp -s "$archive" "$old"; then
      fail "$archive is another build of $version than $old. Find out why there are two. To install this one, delete $mirror."
    fi
    mkdir -p "new/$registry/access/access"
    cp "$archive" "new/$registry/access/access/"
  done
done

if [ "${1:-}" = --lock ]; then
  # Terraform would keep another version that the file names.
  before=
  if [ -f "$lock" ]; then
    before=$work/lock.hcl
    cp "$lock" "$before"
    sed "$block d" "$before" >"$lock"
  fi
  trap 'rm -f "$lock"; [ -z "$before" ] || cp "$before" "$lock"; rm -rf "$work"' EXIT
  set --
  for platform in $platforms; do set -- "$@" "-platform=$platform"; done
  host() { "${TERRAFORM:-terraform}" -chdir="$root" "$@" >&2; }
  # `providers lock` needs the modules of the configuration.
  { host get && host providers lock -fs-mirror="$work/new" "$@" access/access; } || fail "$lock is as it was."
  trap 'rm -rf "$work"' EXIT
fi
mkdir -p "$mirror"
cp -R new/. "$mirror"
cat >"$mirror/cli.tfrc" <<EOT
provider_installation {
  filesystem_mirror {
    path    = "$mirror"
    include = ["access/access"]
  }
  direct {
    exclude = ["access/access"]
  }
}
EOT
echo "TF_CLI_CONFIG_FILE=$mirror/cli.tfrc"
