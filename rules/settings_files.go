package rules

import "regexp"

// unread are the directories whose configuration files no program reads as its own:
// documentation, and what packages unpack.
var unread = regexp.MustCompile(`^/usr/share/|/(node_modules|site-packages|dist-packages|testdata|tests?|examples?|docs?)/`)
