package python

import "regexp"

// launcher is a script that an installer writes for an entry point (PyPA, "Entry points
// specification"), as pip, installer, uv and poetry word it: it calls one function, which
// entry_points.txt names as well, and has no line of anybody's own.
var launcher = regexp.MustCompile(`^#![^\n]*\n` +
	`(?:'''exec' [^\n]*\n' '''\n)?` +
	`(?:# -\*- coding: utf-8 -\*-\n)?` +
	`(?:import re\n)?import sys\n+from [\w.]+ import \w+\n+` +
	`if __name__ == ["']__main__["']:\n` +
	`(?:    (?:el)?if sys\.argv\[0\]\.endswith\(["'][\w.-]+["']\):\n        sys\.argv\[0\] = sys\.argv\[0\]\[:-\d+\]\n)*` +
	`(?:    sys\.argv\[0\] = (?:re\.sub\(r["'][-\w().?|$\\]*["'], (?:''|""), sys\.argv\[0\]\)|sys\.argv\[0\]\.removesuffix\(["']\.exe["']\))\n)?` +
	`    sys\.exit\([\w.]+\(\)\)\n*$`)
