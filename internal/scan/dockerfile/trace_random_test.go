package dockerfile

import (
	"fmt"
	"math/rand/v2"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A madeLine is one instruction of a Dockerfile made at random, and what each
// dialect records of it. The records are written down here a second time, from the
// builders' sources, and know nothing of the code under test.
type madeLine struct {
	id       int // 0 for those of a base image
	text     string
	solved   string
	classic  string
	buildah  string
	kaniko   string // empty: not recorded
	hasLayer bool
	arg      string // "NAME=value" of an ARG
	file     string // the name in the image of what a COPY brings
}

type inventor struct {
	*rand.Rand
	ids int
}

// line makes an instruction. Its parts come from few values, so that lines repeat
// each other and those of the base.
func (m *inventor) line() madeLine {
	m.ids++
	l := m.kind()
	l.id = m.ids
	return l
}

func (m *inventor) pick(words ...string) string { return words[m.IntN(len(words))] }

func (m *inventor) kind() madeLine {
	n := m.IntN(4)
	nop := "/bin/sh -c #(nop) "
	plain := func(written, recorded string) madeLine {
		return madeLine{text: written, solved: recorded, classic: nop + " " + recorded, buildah: nop + written}
	}
	switch m.IntN(12) {
	case 0, 1, 2:
		cmd := m.pick("make", "apt-get update", `echo "a, b" > /f`, "make -C sub")
		if m.IntN(3) > 0 {
			cmd = fmt.Sprintf("%s && step%d", cmd, m.ids)
		}
		return madeLine{text: "RUN " + strings.Replace(cmd, " && ", " && \\\n  # why\n  ", 1), hasLayer: true,
			solved:  "RUN {args}/bin/sh -c " + strings.Replace(cmd, " && ", " &&   ", 1) + " # buildkit",
			classic: "{args}/bin/sh -c " + strings.Replace(cmd, " && ", " &&   ", 1),
			buildah: "{args}/bin/sh -c " + strings.Replace(cmd, " && ", " &&   ", 1), kaniko: "RUN " + strings.Replace(cmd, " && ", " &&   ", 1)}
	case 3, 4:
		src, dest := fmt.Sprintf("file%d", m.ids), m.pick("/app/", fmt.Sprintf("/etc/x%d", n), "/srv/")
		file := src
		if !strings.HasSuffix(dest, "/") {
			file = path.Base(dest)
		}
		return madeLine{file: file, text: "COPY --chown=1 " + src + " " + dest, hasLayer: true, kaniko: "COPY --chown=1 " + src + " " + dest,
			solved:  "COPY --chown=1 " + src + " " + dest + " # buildkit",
			classic: fmt.Sprintf("%sCOPY --chown=1file:%08x in %s ", nop, m.Uint32(), dest),
			buildah: fmt.Sprintf("%sCOPY file:%08x in %s ", nop, m.Uint32(), dest)}
	case 5:
		return plain(m.pick("ENV LANG=C.UTF-8", `ENV A=b C="d e"`, fmt.Sprintf("ENV N=%d", n)), "").as("ENV")
	case 6:
		dir := m.pick("/app", "/srv", "/home/app")
		return madeLine{text: "WORKDIR " + dir, solved: "WORKDIR " + dir, classic: nop + "WORKDIR " + dir, buildah: nop + "WORKDIR " + dir, kaniko: "WORKDIR " + dir, hasLayer: true}
	case 7:
		user := m.pick("app", "root", fmt.Sprint(1000+n), "${OF_BASE}")
		return plain("USER "+user, "USER "+strings.Replace(user, "${OF_BASE}", "1000", 1))
	case 8:
		return plain(fmt.Sprintf("EXPOSE %d", 8000+n), fmt.Sprintf("EXPOSE [%d/tcp]", 8000+n))
	case 9:
		return plain(fmt.Sprintf(`LABEL l%d="x y"`, n), fmt.Sprintf("LABEL l%d=x y", n))
	case 10:
		arg := fmt.Sprintf("ARG%d=v %d", m.ids, n)
		return madeLine{text: strings.Replace("ARG "+arg, "=v ", "=v\\ ", 1), solved: "ARG " + arg, classic: nop + " ARG " + arg, buildah: nop + "ARG {names}", arg: arg}
	}
	return plain(m.pick(`CMD ["bash"]`, `CMD ["python3", "app.py"]`, `ENTRYPOINT ["/init"]`), "").as("CMD")
}

// as fills in what is recorded of an instruction that is only read without quotes.
func (l madeLine) as(kind string) madeLine {
	l.solved = strings.ReplaceAll(l.text, ",", "")
	if kind == "ENV" {
		l.solved = strings.ReplaceAll(l.text, `"`, "")
	}
	l.classic = "/bin/sh -c #(nop)  " + l.solved
	return l
}

func dockerfileOf(lines []madeLine) string {
	var b strings.Builder
	b.WriteString("FROM base AS first\n")
	for i, l := range lines {
		if i == len(lines)/2 {
			b.WriteString("\nFROM first\n")
		}
		b.WriteString(l.text + "\n")
	}
	return b.String()
}

// recordOf is the history of an image, and the ids of the lines behind its entries.
func recordOf(dialect string, base, lines []madeLine) (history []History, ids []int) {
	var args []string
	for i, l := range slices.Concat(base, lines) {
		if n := i - len(base); n == 0 || n == len(lines)/2 {
			args = nil
		}
		if l.arg != "" {
			args = append(args, l.arg)
		}
		sorted := slices.Sorted(slices.Values(args))
		by := map[string]string{"buildkit": l.solved, "classic": l.classic, "buildah": l.buildah, "kaniko": l.kaniko}[dialect]
		given := strings.Join(args, " ")
		if dialect != "buildkit" {
			given = strings.Join(sorted, " ")
		}
		if len(args) > 0 {
			given = fmt.Sprintf("|%d %s ", len(args), given)
		}
		var names []string
		for _, a := range sorted {
			name, _, _ := strings.Cut(a, "=")
			names = append(names, name)
		}
		by = strings.NewReplacer("{args}", given, "{names}", strings.Join(names, " ")).Replace(by)
		if by != "" {
			comment := ""
			if dialect == "buildkit" {
				comment = "buildkit.dockerfile.v0"
			}
			history, ids = append(history, History{CreatedBy: by, Comment: comment, Empty: !l.hasLayer, Holds: func(name string) bool { return name == l.file }}), append(ids, l.id)
		}
	}
	return history, ids
}

// change edits a Dockerfile at random.
func (m *inventor) change(lines []madeLine) []madeLine {
	lines = slices.Clone(lines)
	for range 1 + m.IntN(3) {
		i, k := m.IntN(len(lines)), m.IntN(len(lines))
		switch m.IntN(4) {
		case 0:
			if len(lines) > 2 {
				lines = slices.Delete(lines, i, i+1)
			}
		case 1:
			lines = slices.Insert(lines, i, m.line())
		case 2:
			lines[i] = m.line()
		case 3:
			lines[i], lines[k] = lines[k], lines[i]
		}
	}
	return lines
}

// An entry never gets the line of another instruction, however the Dockerfile
// changed since, and each gets its own if it did not.
func TestTraceRandom(t *testing.T) {
	var there, traced int // entries of changed Dockerfiles whose line is still there
	for seed := range uint64(400) {
		m := &inventor{Rand: rand.New(rand.NewPCG(seed, 7))}
		base := []madeLine{{solved: "ADD rootfs.tar / # buildkit", classic: "/bin/sh -c #(nop) ADD file:00 in / ", buildah: "/bin/sh -c #(nop) ADD file:00 in / ", kaniko: "ADD rootfs.tar /", hasLayer: true}}
		for range m.IntN(5) {
			l := m.line()
			l.id = 0
			if l.kaniko != "" { // what works on files differs; if not, nothing could tell whose it is
				l.solved, l.classic, l.buildah, l.kaniko = strings.Replace(l.solved, " # ", "/of-base # ", 1), l.classic+"/of-base", l.buildah+"/of-base", l.kaniko+"/of-base"
			}
			base = append(base, l)
		}
		var lines []madeLine
		for range 3 + m.IntN(12) {
			lines = append(lines, m.line())
		}
		for _, dialect := range []string{"buildkit", "classic", "buildah", "kaniko"} {
			history, ids := recordOf(dialect, base, lines)
			checkRandom(t, fmt.Sprintf("%s, seed %d", dialect, seed), lines, lines, history, ids, dialect != "kaniko")
			changed := m.change(lines)
			if now, _ := recordOf(dialect, nil, changed); ends(history, now) {
				continue // nothing tells them apart
			}
			n, m := checkRandom(t, fmt.Sprintf("%s, changed, seed %d", dialect, seed), lines, changed, history, ids, false)
			there, traced = there+n, traced+m
		}
		if t.Failed() {
			return
		}
	}
	if traced*2 < there {
		t.Errorf("of %d entries only %d are traced", there, traced)
	}
}

// ends reports whether a history ends like another, but for sums and for which
// arguments are there so far.
func ends(history, end []History) bool {
	n := len(history) - len(end)
	for i, h := range end {
		if n < 0 || anySum.ReplaceAllString(h.CreatedBy, "") != anySum.ReplaceAllString(history[n+i].CreatedBy, "") {
			return false
		}
	}
	return true
}

var anySum = regexp.MustCompile(`file:[0-9a-f]+|\) ARG [A-Z0-9 ]*$|\|\d+ .*/bin/sh`)

// checkRandom compares what is traced with what made the entries. It returns how
// many of these are still there, and how many of them were found.
func checkRandom(t *testing.T, name string, old, lines []madeLine, history []History, ids []int, complete bool) (there, found int) {
	t.Helper()
	text := dockerfileOf(lines)
	at := map[int]madeLine{}
	for i, line := range strings.Split(text, "\n") {
		for _, l := range lines {
			if first, _, _ := strings.Cut(l.text, "\n"); first == line && at[i+1].id == 0 && !used(at, l.id) {
				at[i+1] = l
			}
		}
	}
	traced, _ := Trace(build(t, text, ""), history)
	for i, e := range traced {
		got := at[lineOf(e.Instr)]
		is := func(l madeLine) bool { return ids[i] != 0 && l.id == ids[i] }
		vague := strings.Contains(got.text, "OF_BASE") // a value that nothing tells
		gone := !slices.ContainsFunc(lines, is)
		// same is what no history tells apart: the text, or the name of a copied file.
		same := slices.ContainsFunc(old, func(l madeLine) bool { return is(l) && (l.solved == got.solved || l.file != "" && l.file == got.file) })
		if !gone {
			there++
		}
		if !gone && e.Instr != nil {
			found++
		}
		missing := complete && ids[i] != 0 && e.Instr == nil && !strings.Contains(history[i].CreatedBy, "USER")
		wrong := e.Instr != nil && !is(got) && !same && (!vague || !gone)
		if missing || wrong {
			t.Errorf("%s: entry %d, %q, is line %q of\n%s", name, i, history[i].CreatedBy, got.text, text)
		}
	}
	return there, found
}

func used(at map[int]madeLine, id int) bool {
	for _, l := range at {
		if l.id == id {
			return true
		}
	}
	return false
}
