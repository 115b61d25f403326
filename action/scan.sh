# Audits $INPUT_TARGETS and keeps the exit code as output "exit-code" for the gate,
# so that findings do not stop their own upload.
set -euo pipefail

targets=()
while IFS= read -r line; do
  line=${line%$'\r'}
  [ -z "$line" ] || targets+=("$line")
done <<<"$INPUT_TARGETS"

reports=$(mktemp -d "$RUNNER_TEMP/sandbox-audit-XXXXXX")
arguments=(-o github -o "sarif=$reports/sandbox-audit.sarif" -o "markdown=$reports/summary.md")
[ -z "$INPUT_DOCKERFILE" ] || arguments+=("--dockerfile=$INPUT_DOCKERFILE")
[ -z "$INPUT_FAIL_ON" ] || arguments+=("--fail-on=$INPUT_FAIL_ON")
[ -z "$INPUT_REQUIRE" ] || arguments+=("--require=$INPUT_REQUIRE")

status=0
if [ "${#targets[@]}" = 0 ]; then
  echo '::error::the input targets is empty: name an image, an archive, a directory, a Dockerfile or a manifest'
  status=2
else
  # After -- a target that starts with a dash is no flag.
  "$PROGRAM" "${arguments[@]}" -- "${targets[@]}" </dev/null || status=$?
fi

printf 'exit-code=%d\n' "$status" >>"$GITHUB_OUTPUT"
if [ -s "$reports/sandbox-audit.sarif" ]; then
  printf 'sarif=%s\n' "$reports/sandbox-audit.sarif" >>"$GITHUB_OUTPUT"
fi
if [ -s "$reports/summary.md" ]; then cat "$reports/summary.md" >>"$GITHUB_STEP_SUMMARY"; fi
