package dockerfile

import (
	"io/fs"
	"path"
	"strings"
)

// files follows the commands that work on files by name, and reports whether
// name is one of them.
func (r *session) files(name string, args []arg) bool {
	switch name {
	case "rm", "unlink", "rmdir":
		r.rm(name, args)
	case "mv":
		r.mv(args)
	case "cp":
		r.cp(args)
	case "ln":
		r.ln(args)
	case "install":
		r.install(args)
	case "mkdir":
		r.mkdir(args)
	case "touch":
		r.touch(args)
	case "chmod":
		r.chmod(args)
	case "chown", "chgrp":
		r.chown(name, args)
	case "find":
		r.find(args, true)
	case "tee":
		found, rest := options(args, "")
		for _, p := range r.targets(rest, "tee to a file whose name is a variable") {
			r.write(p, r.stdin, has(found, "-a", "--append"))
		}
	case "truncate", "strip", "shred", "dos2unix", "sed":
		r.rewrite(name, args)
	default:
		return false
	}
	return true
}

func (r *session) rm(name string, args []arg) {
	found, rest := options(args, "")
	deep := has(found, "-r", "-R", "--recursive")
	for _, p := range r.targets(rest, name+" of a path that is a variable") {
		n := r.at(r.real(p, false))
		switch {
		case n == nil, deep && name == "rm", !n.isDir() && name != "rmdir", n.isDir() && name == "rmdir" && len(n.kids) == 0:
			r.delete(p)
		}
	}
}

// sourcesAndDest splits the arguments of mv, cp and install.
func (r *session) sourcesAndDest(name string, found map[string]string, rest []arg) (sources []string, dest string, inside bool) {
	why := name + " of a path that is a variable"
	if t, ok := found["-t"]; ok {
		return r.targets(rest, why), r.abs(t), true
	}
	if len(rest) < 2 {
		return nil, "", false
	}
	last := r.targets(rest[len(rest)-1:], why)
	sources = r.targets(rest[:len(rest)-1], why)
	if len(last) != 1 {
		return nil, "", false
	}
	for _, a := range rest[:len(rest)-1] {
		if a.glob != "" && (r.partial || r.mounted(path.Dir(r.abs(a.glob)))) {
			r.unknownUnder(last[0], name+" may bring more, as a pattern says")
			break
		}
	}
	return sources, last[0], !has(found, "-T") && (len(sources) > 1 || r.layer.dir(last[0]) || strings.HasSuffix(rest[len(rest)-1].text, "/"))
}

func (r *session) mv(args []arg) {
	found, rest := options(args, "-t -S")
	sources, dest, inside := r.sourcesAndDest("mv", found, rest)
	for _, p := range sources {
		to := dest
		if inside {
			to = path.Join(dest, path.Base(p))
		}
		if p == to {
			continue
		}
		r.copyAll(p, to, nil)
		r.delete(p)
	}
}

func (r *session) cp(args []arg) {
	found, rest := options(args, "-t -S")
	sources, dest, inside := r.sourcesAndDest("cp", found, rest)
	deep := has(found, "-r", "-R", "-a", "--recursive", "--archive")
	contents := len(rest) > 0 && strings.HasSuffix(rest[0].text, "/.")
	for _, p := range sources {
		to := dest
		if inside && !contents {
			to = path.Join(dest, path.Base(p))
		}
		if n := r.at(r.real(p, true)); n != nil && n.isDir() && !deep {
			continue
		}
		r.copyAll(p, to, func(f *Add) {
			if !has(found, "-a", "-p", "--archive", "--preserve") {
				f.UID, f.GID, f.User, f.Group = 0, 0, "", ""
				f.own(r.step.User)
				f.Mode &^= umask | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky
			}
		})
	}
}

// umask is the usual one.
const umask fs.FileMode = 0o022

// copyAll stores a copy of from and all below it at to. change is applied to each.
func (r *session) copyAll(from, to string, change func(*Add)) {
	from = r.real(from, false)
	n := r.at(from)
	if n == nil {
		r.unknownUnder(to, "it is copied or moved from a place that is not known")
		return
	}
	if within(to, from) {
		return
	}
	if n.file == nil && r.partial {
		r.unknownUnder(to, "it is copied or moved from the base image")
	}
	var all []Add
	n.walk(from, func(p string, k *node) bool {
		f := Add{Mode: fs.ModeDir | 0o755}
		if k.file != nil {
			f = *k.file
		}
		f.Path = path.Join(to, strings.TrimPrefix(p, from))
		if change != nil {
			change(&f)
		}
		all = append(all, f)
		return r.spend(1)
	})
	for _, f := range all {
		if !f.Mode.IsDir() || !r.layer.dir(f.Path) {
			r.store(f)
		}
	}
}

func (r *session) ln(args []arg) {
	found, rest := options(args, "-t -S")
	if len(rest) == 0 || !rest[0].known {
		r.opaque("ln to a name that is a variable")
		return
	}
	to := path.Base(rest[0].text)
	links := []string{r.abs(to)}
	if len(rest) > 1 {
		links = r.targets(rest[len(rest)-1:], "ln to a name that is a variable")
	}
	for _, l := range links {
		if r.layer.dir(l) && !has(found, "-T", "-n") {
			l = path.Join(l, to)
		}
		if l == "" {
			continue
		}
		if !has(found, "-s", "--symbolic") {
			r.copyAll(r.abs(rest[0].text), l, nil)
			continue
		}
		f := Add{Path: l, Mode: fs.ModeSymlink | 0o777, Link: rest[0].text}
		f.own(r.step.User)
		r.store(f)
	}
}

func (r *session) install(args []arg) {
	found, rest := options(args, "-t -m -o -g -S --mode --owner --group")
	mode, _ := parseMode(found["-m"] + found["--mode"])
	change := func(f *Add) {
		if mode == nil {
			mode, _ = parseMode("755")
		}
		f.Mode = mode(f.Mode)
		f.UID, f.GID, f.User, f.Group = 0, 0, "", ""
		f.own(r.step.User)
		if o := found["-o"] + found["--owner"]; o != "" {
			f.UID, f.User = id(o)
		}
		if g := found["-g"] + found["--group"]; g != "" {
			f.GID, f.Group = id(g)
		}
	}
	if has(found, "-d", "--directory") {
		for _, p := range r.targets(rest, "install of a path that is a variable") {
			f := Add{Path: p, Mode: fs.ModeDir}
			change(&f)
			r.store(f)
		}
		return
	}
	sources, dest, inside := r.sourcesAndDest("install", found, rest)
	for _, p := range sources {
		to := dest
		if inside {
			to = path.Join(dest, path.Base(p))
		}
		r.copyAll(p, to, change)
	}
}

func (r *session) mkdir(args []arg) {
	found, rest := options(args, "-m --mode")
	mode, ok := parseMode(found["-m"] + found["--mode"])
	for _, a := range rest {
		if !a.known {
			continue // a directory more, somewhere, changes nothing
		}
		p := r.abs(a.text)
		if p == "" || r.layer.dir(p) {
			continue
		}
		f := Add{Path: p, Mode: fs.ModeDir | 0o755}
		if ok {
			f.Mode = mode(f.Mode)
		}
		f.own(r.step.User)
		r.store(f)
	}
}

// touch makes empty files. One that the base may have keeps its content, whatever
// that is, and stays the base's.
func (r *session) touch(args []arg) {
	_, rest := options(args, "-d -t -r")
	for _, p := range r.targets(rest, "touch of a path that is a variable") {
		if p = r.real(p, true); r.at(p) == nil && r.new(p) {
			r.write(p, new(string), true)
		}
	}
}

// rewrite follows commands that change files in place.
func (r *session) rewrite(name string, args []arg) {
	found, rest := options(args, "-s -e -f -o")
	if name == "sed" {
		inPlace := has(found, "-i", "--in-place")
		if !inPlace {
			return
		}
		if !has(found, "-e", "-f") && len(rest) > 0 {
			rest = rest[1:]
		}
	}
	for _, p := range r.targets(rest, name+" of a path that is a variable") {
		if n := r.at(r.real(p, true)); n == nil {
			r.doubt(p, name+" changes it")
		} else if !n.isDir() {
			r.write(p, nil, false)
		}
	}
}
