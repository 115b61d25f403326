package hostile

import (
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

// configs are the rows on image configs.
func configs() []Case {
	field := func(key string, v any) func() Input { return func() Input { return M15(key, v) } }
	unread := func(key string) string { return "SBX004 | config field " + key + " is unreadable" }
	const tree = "/etc/hostname=a"
	return []Case{
		{ID: "M02 config", What: "config of thousands of values", Input: func() Input { return M17(1000) }, Limits: func(l *limits.Limits) { l.JSONElements = 500 }, Class: Refuse, Want: "config | limit of 500 values | --max-json-elements"},
		{ID: "M13 null", What: "config that is null", Input: func() Input { return M13("null") }, Class: Refuse, Want: ""},
		{ID: "M13 empty", What: "config that is empty", Input: func() Input { return M13("{}") }, Class: Refuse, Want: "has no rootfs", Evades: true},
		{ID: "M13 rootfs", What: "rootfs that is null", Input: func() Input { return M13(`{"rootfs":null}`) }, Class: Refuse, Want: "has no rootfs", Evades: true},
		{ID: "M13 none", What: "config without diff IDs", Input: func() Input { return M13(`{"rootfs":{"diff_ids":[]}}`) }, Class: Refuse, Want: "names 0 layers", Evades: true},
		{ID: "M13 fewer", What: "config with fewer diff IDs than layers", Input: M13Fewer, Class: Refuse, Want: "names 1 layers | 2", Evades: true},
		{ID: "M13 digest", What: "diff ID that is no digest", Input: func() Input { return M13(`{"rootfs":{"diff_ids":["x"]}}`) }, Class: Refuse, Want: "diff ID of layer 1 is no sha256 digest"},
		{ID: "M14", What: "history of more layers", Input: func() Input { return M14(`[{"created_by":"a"},{"created_by":"b"}]`) }, Class: Note, Want: "history accounts for 2 layers", Tree: tree},
		{ID: "M14 none", What: "history is missing", Input: tinyArchive, Class: Plain, Tree: tree},
		{ID: "M14 null", What: "history with null", Input: func() Input { return M14(`[null,{"created_by":"a","empty_layer":true}]`) }, Class: Plain, Tree: tree},
		{ID: "M15 command", What: "command that is text", Input: field("Cmd", "sh"), Class: Finding, Want: unread("Cmd"), Tree: tree},
		{ID: "M15 user", What: "user that is a number", Input: field("User", 0), Class: Finding, Want: unread("User"), Tree: tree},
		{ID: "M15 ports", What: "ports that are a list", Input: field("ExposedPorts", []int{22}), Class: Finding, Want: unread("ExposedPorts"), Tree: tree},
		{ID: "M15 health", What: "health check with an interval that is text", Input: field("Healthcheck", doc{"Interval": "5s"}), Class: Plain, Tree: tree},
		{ID: "M15 created", What: "no time of creation", Input: M15Created, Class: Plain, Tree: tree},
		{ID: "M16 user", What: "user and User", Input: M16User, Class: Finding, Want: "SBX004 | User", Tree: tree, Evades: true},
		{ID: "M16 config", What: "config and Config", Input: M16, Class: Finding, Want: "SBX004 | SBX201 | stands more than once", Tree: tree, Evades: true},
		{ID: "M17", What: "user of 1 MiB", Input: field("User", strings.Repeat("u", 1<<20)), Class: Finding, Want: "SBX204 | bytes, sha256", Tree: tree},
		{ID: "M17 labels", What: "thousands of labels", Input: func() Input { return M17(5000) }, Class: Plain, Tree: tree},
		{ID: "M18", What: "config of another platform than the index", Input: M18, Class: Finding, Want: "SBX004 | linux/amd64 | linux/arm64", Tree: tree, Evades: true},
	}
}

// M13 is one layer with the given config.
func M13(config string) Input { return configured(func(doc) any { return config }) }

// M13Fewer names one layer of two.
func M13Fewer() Input {
	a, b := pair()
	return Input{Archive: pack(saved(config(a), a, b)...)}
}

// M14 has the given history.
func M14(history string) Input {
	return configured(func(c doc) any { return c.with("history", raw(history)) })
}

// M15 has a field of the given value.
func M15(key string, v any) Input {
	return configured(func(c doc) any { return c.with("config", run().with(key, v)) })
}

// M15Created has an empty time, which some readers give up on.
func M15Created() Input { return configured(func(c doc) any { return c.with("created", "") }) }

// M16 is root for runtimes, and a user for those who go by the case of keys.
func M16() Input {
	return configured(func(c doc) any { return strings.TrimSuffix(string(encode(c)), "}") + `,"Config":{"User":"0"}}` })
}

// M16User is M16 one level down.
func M16User() Input {
	return configured(func(c doc) any { return c.with("config", raw(`{"User":"65532:65532","user":"0"}`)) })
}

// M17 has n labels.
func M17(n int) Input {
	labels := doc{}
	for i := range n {
		labels[strings.Repeat("l", i%50)+string(rune('a'+i%26))+hex([]byte{byte(i), byte(i >> 8)})] = "v"
	}
	return M15("Labels", labels)
}

// M18 is another image than its index says.
func M18() Input {
	l := newLayout()
	d := l.blob(manifestType, l.manifest(config(tiny()).with("architecture", "arm64"), tiny()))
	return l.index(d.on("linux", "amd64")).input()
}
