#!/bin/sh
set -eu
unset SESSION_TOKEN
exec setpriv --reuid=10001 --regid=10001 --clear-groups python3 -m agent.main "$@"
