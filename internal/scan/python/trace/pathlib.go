package trace

import "path"

// pathlibModels are paths of pathlib whose text is known: others are taken for what is outside the program.
func pathlibModels() map[string]model {
	made := func(c *call) []outcome {
		joined := ""
		for _, v := range c.args {
			if v.kind != stringKind && v.kind != pathKind || c.open {
				return c.ret(external(c.path+"()", StandardLibrary))
			}
			joined = under(joined, v.text)
		}
		return c.ret(simple(pathKind, 0, path.Clean(joined)))
	}
	m := map[string]model{"path.joinpath": func(c *call) []outcome {
		next := *c
		next.path, next.args = "pathlib.Path", append([]value{c.self}, c.args...)
		return made(&next)
	}}
	for _, name := range []string{"Path", "PosixPath", "PurePath", "PurePosixPath"} {
		m["pathlib."+name] = made
	}
	for _, name := range []string{"resolve", "absolute", "expanduser"} {
		m["path."+name] = func(c *call) []outcome { return c.ret(c.self) }
	}
	return m
}

// under is p as seen from dir.
func under(dir, p string) string {
	if path.IsAbs(p) {
		return p
	}
	return path.Join(dir, p)
}

// pathAttribute is an attribute of a path that is known.
func pathAttribute(p value, name string) value {
	switch name {
	case "parent":
		return simple(pathKind, 0, path.Dir(p.text))
	case "name":
		return text(path.Base(p.text))
	case "resolve", "absolute", "expanduser", "joinpath":
		return method(p, "path."+name)
	}
	return external("pathlib.Path()."+name, StandardLibrary)
}
