# Decides as output "upload" whether this job may upload. The token of a pull
# request from a fork, or from Dependabot, can only read: there the annotations
# and the gate have to do.
set -euo pipefail

upload=true
if [ "$INPUT_UPLOAD" != true ] || [ -z "$SARIF" ]; then
  upload=false
elif [[ $GITHUB_EVENT_NAME == pull_request* && $HEAD_REPOSITORY != "$GITHUB_REPOSITORY" ]]; then
  upload=false
  echo '::notice::no upload to code scanning: a pull request from a fork may not write'
elif [[ $GITHUB_EVENT_NAME == pull_request* && $GITHUB_ACTOR == 'dependabot[bot]' ]]; then
  upload=false
  echo '::notice::no upload to code scanning: a pull request from Dependabot may not write'
fi
printf 'upload=%s\n' "$upload" >>"$GITHUB_OUTPUT"
