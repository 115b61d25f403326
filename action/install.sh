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
[ "$os" != windows ] || archive=${archive%.tar.gz}.zip
repository=sandbox-audit/sandbox-audit
release=https://github.com/$repository/releases/download/v$INPUT_VERSION
fetch() { curl --fail --silent --show-error --location --proto '=https' --retry 3 --output "$1" "$release/$1"; }

# Shows who made the release: by the provenance of the archive, or by the signature of
# the checksums, whichever the runner has a program for. If it has neither, that is said.
builder=$repository/.github/workflows/release.yml
who_made_it() {
  if [ -n "${GH_TOKEN:-}" ] && [ "${GITHUB_SERVER_URL:-}" = https://github.com ] && gh attestation --help >/dev/null 2>&1; then
    gh attestation verify "$archive" --repo "$repository" \
      --signer-workflow "$builder" --source-ref "refs/tags/v$INPUT_VERSION" ||
      refuse "the provenance of $archive was not verified; the input sha256 would do without it"
    echo "verified: $archive was built by $builder for v$INPUT_VERSION (gh attestation verify)"
  elif command -v cosign >/dev/null; then
    fetch checksums.txt.sigstore.json
    cosign verify-blob --bundle checksums.txt.sigstore.json \
      --certificate-identity "https://github.com/$builder@refs/tags/v$INPUT_VERSION" \
      --certificate-oidc-issuer https://token.actions.githubusercontent.com checksums.txt ||
      refuse "the signature of checksums.txt was not verified; the input sha256 would do without it"
    echo "verified: checksums.txt was signed by $builder for v$INPUT_VERSION (cosign verify-blob)"
  else
    echo "::warning::not verified: who made $archive, for the runner has neither a gh that may ask github.com nor cosign; set the input sha256"
  fi
}

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
if [ -n "$INPUT_SHA256" ]; then
  echo "verified: $archive has the checksum that was given"
else
  echo "verified: $archive has the checksum of the release's checksums.txt"
  who_made_it
fi

program=sandbox-audit$suffix
if [ "$os" = windows ]; then unzip -q "$archive" "$program"; else tar -xzf "$archive" "$program"; fi
printf 'program=%s\n' "$folder/$program" >>"$GITHUB_OUTPUT"
