#!/bin/sh
# Installs a released provider without a registry, for runners and laptops.
#
#   install-provider.sh [PLATFORM]...    such as linux_amd64 darwin_arm64; default: this machine's
#
# Downloads the archives, checks SHA256SUMS and its signature, lays out a filesystem mirror for
# Terraform and OpenTofu, and writes a CLI configuration that uses it. Prints one line:
#   TF_CLI_CONFIG_FILE=/path/to/cli.tfrc
# Every check that fails ends the script before anything is in the mirror.
#
# PROVIDER_VERSION   required, such as 0.1.0. `registry` installs nothing and prints the variable as it
#                    is: `init` then downloads the provider from its registry.
# PROVIDER_URL       required: address of the folder with the archives of that version, such as
#                    https://github.com/ORGANISATION/terraform-provider-access/releases/download/v0.1.0
# PROVIDER_KEY       file with the public key of the release, armoured or binary; default:
#                    release-key.asc in the folder of this script
# PROVIDER_UNSIGNED  `yes` accepts sums without a signature: anyone who can change the files at
#                    PROVIDER_URL can then change the provider
# PROVIDER_MIRROR    directory of the mirror; default: ~/.terraform-access
#
# Needs curl or wget, sha256sum or shasum, and gpg.
set -eu
scripts=$(cd "$(dirname "$0")" && pwd)
version=${PROVIDER_VERSION:?Set PROVIDER_VERSION, such as 0.1.0.}
if [ "$version" = registry ]; then
  # Terraform and OpenTofu ignore an empty value.
  echo "TF_CLI_CONFIG_FILE=${TF_CLI_CONFIG_FILE:-}"
  exit 0
fi
url=${PROVIDER_URL:?Set PROVIDER_URL to the address of the folder with the archives.}
key=${PROVIDER_KEY:-$scripts/release-key.asc}
mirror=${PROVIDER_MIRROR:-$HOME/.terraform-access}
name=terraform-provider-access_$version
sums=${name}_SHA256SUMS

# Prints a message to standard error and ends the script.
fail() {
  echo "$1" >&2
  exit 1
}

# Downloads a file of the release into the working directory:  download FILE
download() {
  if command -v curl >/dev/null; then
    curl --fail --silent --show-error --location --retry 3 --netrc-optional --output "$1" "$url/$1"
  elif command -v wget >/dev/null; then
    wget -q -O "$1" "$url/$1"
  else
    fail "Neither curl nor wget is installed."
  fi || fail "Could not download $url/$1."
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

# Prints the SHA-256 of a file.
sha256() {
  if command -v sha256sum >/dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d ' ' -f 1
}

if [ $# -eq 0 ]; then
  platform=$(this_platform)
  set -- "$platform"
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work"

download "$sums"
if [ "${PROVIDER_UNSIGNED:-}" = yes ]; then
  echo "The signature of $sums is not checked, because PROVIDER_UNSIGNED is set." >&2
else
  command -v gpg >/dev/null || fail "gpg is not installed, so the signature cannot be checked."
  [ -f "$key" ] || fail "$key does not exist. Save the public key of the release there, or set PROVIDER_KEY."
  download "$sums.sig"
  # A keyring with that one key: a signature by any other key is an error.
  mkdir -m 700 "$work/keyring"
  gpg --homedir "$work/keyring" --batch --quiet --import "$key" || fail "$key is not a public key."
  # GOODSIG is not printed for a key that has expired or was revoked.
  gpg --homedir "$work/keyring" --batch --quiet --status-fd 1 --verify "$sums.sig" "$sums" >verify.txt 2>&1 || :
  if ! grep -q '^\[GNUPG:\] GOODSIG ' verify.txt; then
    cat verify.txt >&2
    fail "The signature of $sums is not valid for $key. Nothing was installed."
  fi
  gpgconf --homedir "$work/keyring" --kill all 2>/dev/null || :
fi

for platform in "$@"; do
  archive=${name}_$platform.zip
  expected=$(awk -v file="$archive" '$2 == file || $2 == "*" file { print $1 }' "$sums")
  [ -n "$expected" ] || fail "$sums has no line for $archive."
  download "$archive"
  [ "$(sha256 "$archive")" = "$expected" ] || fail "$archive does not have the checksum in $sums. Nothing was installed."
done

mkdir -p "$mirror"
mirror=$(cd "$mirror" && pwd)
for registry in registry.terraform.io registry.opentofu.org; do
  folder=$mirror/$registry/access/access
  mkdir -p "$folder"
  for platform in "$@"; do cp "${name}_$platform.zip" "$folder/"; done
done
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
