"""Runs what the control plane sends."""
import os
import sys

from agent import tools


def main():
    token = os.environ.pop("SESSION_TOKEN", None)
    tools.serve(token, sys.argv[1:])


main()
