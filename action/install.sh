# Installs the release $INPUT_VERSION, verified, for this job only; says where as
# output "program". Without a version it takes the sandbox-audit on PATH.
set -euo pipefail

refuse() { printf '::error::%s\n' "$1"; exit 2; }

if [ -z "$INPUT_VERSION" ]; then
  program=$(command -v sandbox-audit) ||
    refuse "sandbox-audit is not on PATH: set the input version, or install it in a step before"
  printf 'program=%s\n' "$program" >>"$GITHUB_OUTPUT"
  exit
fi
# Both go into a URL or a comparison: nothing but their own form is let through.
[[ $INPUT_VERSION =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$ ]] ||
  refuse "the input version is no release such as 1.2.3"
[[ $INPUT_SHA256 =~ ^([0-9a-f]{64})?$ ]] ||
  refuse "the input sha256 is not 64 lower-case hexadecimal digits"

case $RUNNER_OS in
  Linux) os=linux suffix='' ;;
  macOS) os=darwin suffix='' ;;
  Windows) os=windows suffix=.exe ;;
  *) refuse "no release for this runner's system" ;;
esac
case $RUNNER_ARCH in
  X64) arch=amd64 ;;
  ARM64) arch=arm64 ;;
  *) refuse "no release for this runner's architecture" ;;
esac

folder=$(mktemp -d "$RUNNER_TEMP/sandbox-audit-XXXXXX")
cd "$folder"
archive=sandbox-audit_${INPUT_VERSION}_${os}_$arch.tar.gz
release=https://github.com/sandbox-audit/sandbox-audit/releases/download/v$INPUT_VERSION
fetch() { curl --fail --silent --show-error --location --proto '=https' --retry 3 --output "$1" "$release/$1"; }

fetch "$archive"
want=$INPUT_SHA256
if [ -z "$want" ]; then
  fetch checksums.txt
  want=$(awk -v name="$archive" '$2 == name { print $1 }' checksums.txt)
fi
if command -v sha256sum >/dev/null; then sum=(sha256sum); else sum=(shasum -a 256); fi
got=$("${sum[@]}" <"$archive")
got=${got%% *}
[ "$got" = "$want" ] || refuse "the checksum of $archive is $got, not ${want:-in checksums.txt}"

tar -xzf "$archive" "sandbox-audit$suffix"
printf 'program=%s\n' "$folder/sandbox-audit$suffix" >>"$GITHUB_OUTPUT"
