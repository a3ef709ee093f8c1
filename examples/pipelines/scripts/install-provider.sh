#!/bin/sh
# Installs a release of the provider without a registry, on runners and laptops.
#
#   install-provider.sh [PLATFORM]...   such as linux_amd64 darwin_arm64; default: this machine's
#   install-provider.sh --lock          installs every platform of the release, and writes their
#                                       checksums to .terraform.lock.hcl in TF_ROOT
#
# Checks SHA256SUMS and its signature, lays out a filesystem mirror for Terraform and OpenTofu, and
# writes a CLI configuration that uses it. Prints one line:
#   TF_CLI_CONFIG_FILE=/path/to/cli.tfrc
# If a check fails, the script ends with an error, and the mirror is as it was.
#
# A release that another key has signed is refused, and so are an older version than the one that the lock
# file names or, without a lock file, than the newest one in the mirror, and a signed archive that differs
# from the one of the same version in the mirror.
#
# PROVIDER_URL       required: a folder with the archives, or its address, such as
#                    https://github.com/ORGANISATION/terraform-provider-access/releases/download/v0.1.0
#                    `registry` installs nothing: `init` then downloads the provider
# PROVIDER_VERSION   such as 0.1.0; default: the version in .terraform.lock.hcl
# PROVIDER_KEY       file with the public key of the release, armoured or binary; default:
#                    release-key.asc in the folder of this script
# PROVIDER_FINGERPRINT  the fingerprint of that key, all 40 digits; default: that of the first signed
#                    release in the mirror, which release-key.fingerprint records there
# PROVIDER_DOWNGRADE `yes` accepts an older version: restore the state of that time with it
# PROVIDER_UNSIGNED  `yes` accepts sums without a signature: anyone who can change the files at
#                    PROVIDER_URL can then change the provider
# PROVIDER_TOKEN     sent to PROVIDER_URL as `Authorization: Bearer`, only by https. For the releases of a
#                    private repository on GitHub: a token that may read the contents of that repository
# PROVIDER_MIRROR    directory of the mirror; default: ~/.terraform-access
# TF_ROOT            directory of the configuration; default: the working directory
# TERRAFORM          the command for --lock: terraform (default) or tofu
#
# Relative paths start at the working directory. Needs sha256sum or shasum; gpg unless
# PROVIDER_UNSIGNED is set; curl for an address, and jq for PROVIDER_TOKEN with GitHub.
set -eu

# Prints a message to standard error and ends the script.
fail() {
  echo "$1" >&2
  exit 1
}

absolute() {
  case $1 in /*) printf '%s\n' "$1" ;; *) printf '%s\n' "$PWD/$1" ;; esac
}

url=${PROVIDER_URL:?Set PROVIDER_URL to the folder with the archives, or to registry.}
if [ "$url" = registry ]; then
  # Terraform and OpenTofu ignore an empty value.
  echo "TF_CLI_CONFIG_FILE=${TF_CLI_CONFIG_FILE:-}"
  exit 0
fi
url=${url#file://}
case $url in
  https://*) ;;
  *://*)
    # Everybody on the way could read the token, and then the private repository.
    [ -z "${PROVIDER_TOKEN:-}" ] || fail "PROVIDER_TOKEN is sent by https only, and PROVIDER_URL is $url. Nothing was sent."
    ;;
  *)
    url=$(absolute "$url")
    [ -d "$url" ] || fail "PROVIDER_URL is neither a folder nor an address: $url does not exist."
    ;;
esac
key=$(absolute "${PROVIDER_KEY:-$(dirname "$0")/release-key.asc}")
mirror=$(absolute "${PROVIDER_MIRROR:-$HOME/.terraform-access}")
root=$(absolute "${TF_ROOT:-$PWD}")
lock=$root/.terraform.lock.hcl
locked='/^provider ".*\/access\/access" {/,/^}/'
present=
if [ -f "$lock" ]; then present=$(sed -n "$locked s/^ *version *= \"\(.*\)\"/\1/p" "$lock"); fi
version=${PROVIDER_VERSION:-$present}
[ -n "$version" ] || fail "Set PROVIDER_VERSION, such as 0.1.0: $lock does not name a version of access/access."
name=terraform-provider-access_$version
sums=${name}_SHA256SUMS

# Returns whether a version precedes another one, by the rules of semver.org:  is_older VERSION VERSION
is_older() {
  LC_ALL=C awk -v first="$1" -v second="$2" '
    # Returns -1, 0 or 1. Numbers are compared as numbers, and a part that is missing comes first.
    function compare(a, b, separator,   as, bs, i, n) {
      n = split(a, as, separator)
      if (split(b, bs, separator) > n) n = split(b, bs, separator)
      for (i = 1; i <= n; i++) {
        if (as[i] ~ /^[0-9]+$/ && bs[i] ~ /^[0-9]+$/) {
          if (as[i] + 0 != bs[i] + 0) return as[i] + 0 < bs[i] + 0 ? -1 : 1
        } else if (as[i] "" != bs[i] "") return as[i] "" < bs[i] "" ? -1 : 1
      }
      return 0
    }
    BEGIN {
      sub(/[+].*/, "", first); sub(/[+].*/, "", second)
      release = first; sub(/-.*/, "", release)
      other = second; sub(/-.*/, "", other)
      order = compare(release, other, ".")
      if (order == 0) {
        candidate = substr(first, length(release) + 2)
        rival = substr(second, length(other) + 2)
        # A release candidate precedes its release.
        if (candidate == "" || rival == "") order = (candidate == "") - (rival == "")
        else order = compare(candidate, rival, ".")
      }
      exit order >= 0
    }'
}

# Prints the newest version in the mirror, if there is one.
newest_in_mirror() {
  newest=
  for file in "$mirror"/registry.terraform.io/access/access/terraform-provider-access_*.zip; do
    [ -f "$file" ] || continue
    file=${file##*/terraform-provider-access_}
    file=${file%%_*}
    if [ -z "$newest" ] || is_older "$newest" "$file"; then newest=$file; fi
  done
  printf '%s\n' "$newest"
}

# Prints the platform of this machine as archives name it.
this_platform() {
  system=$(uname -s | tr '[:upper:]' '[:lower:]')
  case $(uname -m) in
    x86_64 | amd64) echo "${system}_amd64" ;;
    aarch64 | arm64) echo "${system}_arm64" ;;
    i386 | i686) echo "${system}_386" ;;
    armv6* | armv7*) echo "${system}_arm" ;;
    *) fail "There is no archive for $(uname -m). Name a platform." ;;
  esac
}

# Downloads with PROVIDER_TOKEN, if it is set:  download FILE ADDRESS [OPTION]...
download() {
  file=$1
  shift
  # In a file, because other users of the machine can read arguments. A redirect or an address in the
  # API's response must not lead the token away from https either.
  printf '%s\n' "${PROVIDER_TOKEN:+header = \"Authorization: Bearer $PROVIDER_TOKEN\"
proto = \"=https\"}" >curl.txt
  curl --config curl.txt --fail --silent --show-error --location --retry 3 --netrc-optional --output "$file" "$@"
}

# Copies a file of the release into the working directory:  fetch FILE
fetch() {
  if [ -d "$url" ]; then
    cp "$url/$1" .
  elif [ -f release.json ]; then
    address=$(jq -er --arg name "$1" '.assets[] | select(.name == $name) | .url' release.json) &&
      download "$1" "$address" --header "Accept: application/octet-stream"
  else
    download "$1" "$url/$1"
  fi || fail "Could not get $1 from $url. If it is private, set PROVIDER_TOKEN."
}

# Prints the SHA-256 of a file.
sha256() {
  if command -v sha256sum >/dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d ' ' -f 1
}

place=$lock
if [ -z "$present" ]; then
  present=$(newest_in_mirror)
  place=$mirror
fi
if [ -n "$present" ] && is_older "$version" "$present" && [ "${PROVIDER_DOWNGRADE:-}" != yes ]; then
  fail "$version is older than $present in $place. To go back, restore the state of that time, and set PROVIDER_DOWNGRADE=yes. Nothing was installed."
fi
pin=$mirror/release-key.fingerprint
pinned=$(printf %s "${PROVIDER_FINGERPRINT:-}" | tr -d ' ' | tr '[:lower:]' '[:upper:]')
pinned_by=PROVIDER_FINGERPRINT
if [ -z "$pinned" ] && [ -f "$pin" ]; then
  pinned=$(cat "$pin")
  pinned_by=$pin
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work"

case ${PROVIDER_TOKEN:+with}:$url in
  with:*://*/*/*/releases/download/*)
    # GitHub accepts a token at its API only, which lists the addresses of the files.
    repository=${url%/releases/download/*}
    host=${repository%/*/*}
    if [ "$host" = https://github.com ]; then api=https://api.github.com; else api=$host/api/v3; fi
    download release.json "$api/repos/${repository#"$host"/}/releases/tags/${url##*/}" ||
      fail "Could not read the release at $url with PROVIDER_TOKEN."
    ;;
esac
fetch "$sums"
fingerprint=
if [ "${PROVIDER_UNSIGNED:-}" = yes ]; then
  [ -z "$pinned" ] || fail "PROVIDER_UNSIGNED is set, but $pinned_by pins the key $pinned. Remove one of them. Nothing was installed."
  echo "The signature of $sums is not checked, because PROVIDER_UNSIGNED is set." >&2
else
  command -v gpg >/dev/null || fail "gpg is not installed, so the signature cannot be checked."
  [ -f "$key" ] || fail "$key does not exist. Save the public key of the release there, or set PROVIDER_KEY."
  fetch "$sums.sig"
  # A keyring with that one key: a signature by any other key is an error.
  mkdir -m 700 keyring
  gpg --homedir "$work/keyring" --batch --quiet --import "$key" || fail "$key is not a public key."
  fingerprint=$(gpg --homedir "$work/keyring" --batch --with-colons --list-keys |
    awk -F: '$1 == "pub" { is_next = 1 } $1 == "fpr" && is_next { print $10; is_next = 0 }')
  case $fingerprint in
    *[!0-9A-F]*) fail "$key has more than one key. Keep the key of the release only." ;;
  esac
  if [ -n "$pinned" ] && [ "$fingerprint" != "$pinned" ]; then
    fail "$key is not the pinned key: it has the fingerprint $fingerprint, and $pinned_by pins $pinned. Nothing was installed."
  fi
  # GOODSIG is not printed for a key that has expired or was revoked.
  gpg --homedir "$work/keyring" --batch --quiet --status-fd 1 --verify "$sums.sig" "$sums" >verify.txt 2>&1 || :
  if ! grep -q '^\[GNUPG:\] GOODSIG ' verify.txt; then
    cat verify.txt >&2
    fail "The signature of $sums is not valid for $key. Nothing was installed."
  fi
  gpgconf --homedir "$work/keyring" --kill all 2>/dev/null || :
fi

is_lock=no
if [ "${1:-}" = --lock ]; then
  is_lock=yes
  platforms=$(sed -n "s/.* [ *]${name}_\(.*\)\.zip$/\1/p" "$sums")
elif [ $# -eq 0 ]; then
  platforms=$(this_platform)
else
  platforms=$*
fi
for platform in $platforms; do
  archive=${name}_$platform.zip
  expected=$(awk -v file="$archive" '$2 == file || $2 == "*" file { print $1 }' "$sums")
  [ -n "$expected" ] || fail "$sums has no line for $archive."
  fetch "$archive"
  [ "$(sha256 "$archive")" = "$expected" ] || fail "$archive does not have the checksum in $sums. Nothing was installed."
  for registry in registry.terraform.io registry.opentofu.org; do
    old=$mirror/$registry/access/access/$archive
    # A version is signed once.
    if [ -n "$fingerprint" ] && [ -f "$old" ] && ! cmp -s "$archive" "$old"; then
      fail "$archive is another build of $version than $old. Find out why there are two. To install this one, delete that file. Nothing was installed."
    fi
    mkdir -p "new/$registry/access/access"
    cp "$archive" "new/$registry/access/access/"
  done
done

if [ $is_lock = yes ]; then
  # Terraform would keep another version that the file names.
  touch "$lock"
  cp "$lock" lock.hcl
  sed "$locked d" lock.hcl >"$lock"
  set --
  for platform in $platforms; do set -- "$@" "-platform=$platform"; done
  host() { "${TERRAFORM:-terraform}" -chdir="$root" "$@" >&2; }
  # `providers lock` needs the modules of the configuration.
  { host get && host providers lock -fs-mirror="$work/new" "$@" access/access; } || {
    if [ -s lock.hcl ]; then cp lock.hcl "$lock"; else rm "$lock"; fi
    fail "$lock is as it was. Nothing was installed."
  }
fi
mkdir -p "$mirror"
cp -R new/. "$mirror"
if [ -n "$fingerprint" ]; then printf '%s\n' "$fingerprint" >"$pin"; fi
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
