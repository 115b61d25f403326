package accounts

import (
	"iter"
	"strconv"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// An account is one line of passwd(5), or what an instruction makes.
type account struct {
	name     string
	uid, gid int  // -1 if unknown
	never0   bool // uid is unknown, but not 0
	home     string
	unsure   string // why nothing about it is sure; empty if it is
	source   Source
}

// A group is one line of group(5), or what an instruction makes.
type group struct {
	name    string
	gid     int // -1 if unknown
	members []string
	source  Source
}

// A table is a passwd or group file. It is read line by line each time: a hostile
// one has more lines than are worth keeping apart.
type table struct {
	file *image.File
	text string
}

// lines yields the lines that the runtimes see: trimmed, not empty (moby/sys,
// user.ParsePasswdFilter). Comments and NIS lines are no special case for them:
// a field that is missing or no number counts as 0.
func (t table) lines() iter.Seq2[Source, []string] {
	return func(yield func(Source, []string) bool) {
		n := 0
		for line := range strings.Lines(t.text) {
			n++
			if line = strings.TrimSpace(line); line == "" {
				continue
			}
			fields := strings.Split(line, ":")
			if !yield(Source{File: t.file, Line: n, Text: line}, fields) {
				return
			}
		}
	}
}

func (t table) accounts() iter.Seq[account] {
	return func(yield func(account) bool) {
		for src, f := range t.lines() {
			if !yield(parseAccount(src, f)) {
				return
			}
		}
	}
}

func (t table) groups() iter.Seq[group] {
	return func(yield func(group) bool) {
		for src, f := range t.lines() {
			if strings.HasPrefix(f[0], "#") {
				continue // the runtimes skip comments in this file only
			}
			if !yield(parseGroup(src, f)) {
				return
			}
		}
	}
}

func parseAccount(src Source, f []string) account {
	src.Text = redact(f)
	return account{name: f[0], uid: id(field(f, 2)), gid: id(field(f, 3)), home: field(f, 5), source: src}
}

func parseGroup(src Source, f []string) group {
	src.Text = redact(f)
	return group{name: f[0], gid: id(field(f, 2)), members: strings.Split(field(f, 3), ","), source: src}
}

func field(f []string, i int) string {
	if i < len(f) {
		return f[i]
	}
	return ""
}

// id is a number as the runtimes read it from a file: 0 if it is none, and kept
// in 32 bits.
func id(s string) int {
	n, _ := strconv.Atoi(s)
	return int(uint32(n))
}

// redact joins the fields again with a password, if there is one, replaced.
func redact(f []string) string {
	if len(f) < 2 || len(f[1]) <= 1 {
		return strings.Join(f, ":")
	}
	out := append([]string(nil), f...)
	out[1] = "..."
	return strings.Join(out, ":")
}
