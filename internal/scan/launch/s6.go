package launch

import (
	"path"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

func inOrder(paths []string, byPath map[string]*image.File) (files []*image.File) {
	slices.Sort(paths)
	for _, p := range paths {
		files = append(files, byPath[p])
	}
	return files
}

// The directories of s6-overlay (its README, "Usage").
const (
	s6Services = "/etc/s6-overlay/s6-rc.d"
	s6Legacy   = "/etc/services.d"
	s6Init     = "/etc/cont-init.d"
)

// keptBack is what keeps the environment of the container from services.
const keptBack = "s6-overlay"

// contained gives c the environment of the container. That it was kept from services
// before is nothing that was done to this one.
func (t *tracer) contained(c *call) {
	c.vars = t.container.over(c.vars)
	if h := c.proc.trail.h; h != nil && h.Last.Call == keptBack {
		c.proc.trail = trail{h.Before, c.proc.trail.n - 1}
	}
}

// overlay reports whether /init is that of s6-overlay.
func (t *tracer) overlay() bool {
	for f := range t.files() {
		for _, dir := range []string{"/package/admin/s6-overlay", "/etc/s6-overlay", s6Legacy, s6Init, "/etc/s6/"} {
			if strings.HasPrefix(f.Path, dir) && !f.Buried() {
				return true
			}
		}
	}
	return false
}

// s6overlay follows the init of s6-overlay: scripts that prepare, then services, then
// the container's command. It keeps the environment of the container from all but
// that command, unless they ask for it by with-contenv. An image without a command is made
// for its services alone.
func (t *tracer) s6overlay(c *call) {
	keeps := c.vars.text("S6_KEEP_ENV", "0") != "0"
	start := func(at *image.File, argv []shell.Word, prepares bool) {
		next := t.part(c, "s6-svscan", Place{at, 0}, argv)
		if !keeps {
			t.clear(&next, keptBack, []string{"PATH"})
		}
		next.vars["PATH"] = value{words: shell.Known("/command:" + c.vars.text("PATH", searchPath)), exported: true}
		if prepares {
			t.besides(next)
			return
		}
		t.follow(next)
	}
	for _, f := range t.matching(s6Init + "/*") {
		start(f, shell.Known(f.Path), true)
	}
	started := false
	for _, name := range t.enabled() {
		if up := t.lookup(path.Join(s6Services, name, "up")); up != nil {
			text, _ := services.Of(up)
			start(up, append(shell.Known("execlineb", "-c"), shell.Known(text.String())...), true)
		}
		if run := t.lookup(path.Join(s6Services, name, "run")); run != nil {
			started = true
			start(run, shell.Known(run.Path), false)
		}
	}
	for _, run := range t.matching(s6Legacy + "/*/run") {
		started = true
		start(run, shell.Known(run.Path), false)
	}
	switch {
	case len(c.argv) > 1 && (!t.bare || !c.argv[1].Any):
		next := t.part(c, "s6-svscan", c.at, c.argv[1:])
		t.follow(next)
	case !started:
		t.hide(c, "which services s6-overlay starts is not known")
	}
}

// enabled are the services that the bundle "user" holds, and those they depend on.
func (t *tracer) enabled() (names []string) {
	todo := []string{"user", "user2"}
	for i := 0; i < len(todo) && i < 1000; i++ {
		for _, in := range []string{"contents.d", "dependencies.d"} {
			for _, f := range t.matching(path.Join(s6Services, todo[i], in, "*")) {
				if n := path.Base(f.Path); !slices.Contains(todo, n) {
					todo = append(todo, n)
				}
			}
		}
	}
	slices.Sort(todo[2:])
	return todo[2:]
}
