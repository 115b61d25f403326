#!/bin/sh
set -e
python3 -m compileall -q -b "$1"
find "$1" -name '*.py' -delete
