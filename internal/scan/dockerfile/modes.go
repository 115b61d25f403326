package dockerfile

import (
	"io/fs"
	"strings"
)

func (r *session) chmod(args []arg) {
	deep := false
	for len(args) > 0 && (strings.HasPrefix(args[0].text, "--") || strings.HasPrefix(args[0].text, "-") && strings.Trim(args[0].text, "-Rcfv") == "") {
		deep = deep || strings.Contains(args[0].text, "R") || args[0].text == "--recursive"
		args = args[1:]
	}
	if len(args) == 0 {
		return
	}
	mode, ok := parseMode(args[0].text)
	for _, p := range r.targets(args[1:], "chmod of a path that is a variable") {
		if !ok || !args[0].known {
			r.doubt(p, "its mode is not known")
			continue
		}
		r.change(p, deep, "its mode is changed", func(f *Add) {
			if f.Mode&fs.ModeSymlink == 0 {
				f.Mode = mode(f.Mode)
			}
		})
	}
}

func (r *session) chown(name string, args []arg) {
	found, rest := options(args, "--from")
	if len(rest) == 0 || has(found, "--reference") {
		return
	}
	user, group, both := strings.Cut(rest[0].text, ":")
	if name == "chgrp" {
		user, group = "", rest[0].text
	}
	for _, p := range r.targets(rest[1:], name+" of a path that is a variable") {
		if !rest[0].known {
			r.doubt(p, "its owner is not known")
			continue
		}
		r.change(p, has(found, "-R", "--recursive"), "its owner is changed", func(f *Add) {
			if user != "" {
				f.UID, f.User = id(user)
			}
			switch {
			case group != "":
				f.GID, f.Group = id(group)
			case both: // "user:" stands for the user's login group
				f.GID, f.Group = id(user)
			}
		})
	}
}

// change stores p again, and with deep all below it, after f changed it. Of what
// the base has there, only the change is known to happen.
func (r *session) change(p string, deep bool, why string, f func(*Add)) {
	p = r.real(p, true)
	n := r.at(p)
	if n == nil {
		r.doubt(p, why)
		return
	}
	var all []Add
	n.walk(p, func(q string, k *node) bool {
		c := Add{Path: q, Mode: fs.ModeDir | 0o755}
		if k.file != nil {
			c = *k.file
		}
		if k.file != nil || !r.partial {
			f(&c)
			all = append(all, c)
		}
		return deep && r.spend(1)
	})
	for _, c := range all {
		r.restore(c)
	}
}
