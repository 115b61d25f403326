package settings

import (
	"maps"
	"slices"
	"strconv"
)

// Defaults are what the file says that flags say too, by the names of the flags.
func (f *File) Defaults() []Default {
	var out []Default
	add := func(key, flag string, values ...string) {
		if len(values) > 0 && values[0] != "" {
			out = append(out, Default{flag, values, f.lines[key]})
		}
	}
	add("fail-on", "fail-on", f.FailOn)
	add("require", "require", f.Require...)
	add("isolation", "isolation", f.Isolation)
	add("session-vars", "session-var", f.SessionVars...)
	add("sandbox-user", "sandbox-user", f.SandboxUser)
	add("first-party", "first-party", f.FirstParty...)
	add("forbid", "forbid", f.Forbid...)
	for _, name := range slices.Sorted(maps.Keys(f.Limits)) {
		add(name, name, strconv.FormatInt(f.Limits[name], 10))
	}
	return out
}
