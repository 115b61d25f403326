package fix

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

func at(line, column, endLine, endColumn int) dockerfile.Range {
	return dockerfile.Range{Start: dockerfile.Pos{Line: line, Column: column}, End: dockerfile.Pos{Line: endLine, Column: endColumn}}
}

func TestApply(t *testing.T) {
	for _, c := range []struct {
		name, text string
		edits      []scan.Edit
		want       string
	}{
		{"a word", "a\nb c\n", []scan.Edit{{At: at(2, 3, 2, 4), New: "d"}}, "a\nb d\n"},
		{"a line before", "a\nb\n", []scan.Edit{{At: at(2, 1, 2, 1), New: "x\ny\n"}}, "a\nx\ny\nb\n"},
		{"a line at the end", "a\n", []scan.Edit{{At: at(2, 1, 2, 1), New: "x\n"}}, "a\nx\n"},
		{"a line at the end of a file that does not end its last line", "a", []scan.Edit{{At: at(2, 1, 2, 1), New: "x\n"}}, "a\nx"},
		{"the last line goes", "a\nb", []scan.Edit{{At: at(2, 1, 3, 1)}}, "a"},
		{"other line ends", "a\r\nb\r\n", []scan.Edit{{At: at(2, 1, 2, 1), New: "x\n"}}, "a\r\nx\r\nb\r\n"},
		{"lines joined across other line ends", "a \\\r\n  b c\r\n", []scan.Edit{{At: at(1, 2, 2, 4)}}, "a c\r\n"},
		{"a byte order mark", "\ufeffab\n", []scan.Edit{{At: at(1, 1, 1, 2), New: "x"}}, "\ufeffxb\n"},
		{"columns are UTF-16", "ü🎉b\n", []scan.Edit{{At: at(1, 4, 1, 5), New: "x"}}, "ü🎉x\n"},
		{"bytes that are no text stay", "\xff\xfea\n", []scan.Edit{{At: at(1, 3, 1, 4), New: "x"}}, "\xff\xfex\n"},
		{"several, two at one place", "abc\n", []scan.Edit{{At: at(1, 1, 1, 1), New: "1"}, {At: at(1, 1, 1, 1), New: "2"}, {At: at(1, 2, 1, 3), New: "x"}}, "12axc\n"},
		{"a file that is not there yet", "", []scan.Edit{{At: at(1, 1, 1, 1), New: "x\n"}}, "x\n"},
		{"no such line", "a\n", []scan.Edit{{At: at(4, 1, 4, 1), New: "x"}}, "error"},
		{"no such column", "a\nb\n", []scan.Edit{{At: at(1, 3, 1, 3), New: "x"}}, "error"},
		{"overlap", "abc\n", []scan.Edit{{At: at(1, 1, 1, 3), New: "x"}, {At: at(1, 2, 1, 4), New: "y"}}, "error"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Apply([]byte(c.text), c.edits)
			switch {
			case c.want == "error":
				if err == nil {
					t.Errorf("got %q", got)
				}
			case err != nil || string(got) != c.want:
				t.Errorf("got %q, %v, want %q", got, err, c.want)
			}
		})
	}
}

func TestHunks(t *testing.T) {
	text := []string{"a", "b", "c", "d"}
	lines := func(_ string, first, last int) []string { return text[min(first-1, len(text)):min(last, len(text))] }
	got := Hunks([]scan.Edit{
		{At: at(1, 1, 1, 1), New: "x\n"}, {At: at(2, 1, 3, 1)}, {At: at(4, 2, 4, 2), New: "e"}, {At: at(5, 1, 5, 1), New: "f\n"},
	}, lines)
	var out []string
	for _, h := range got {
		out = append(out, strings.Join([]string{string(rune('0' + h.Line)), strings.Join(h.Old, ","), strings.Join(h.New, ",")}, " "))
	}
	if s, want := strings.Join(out, "|"), "1  x|2 b |4 d de|5  f"; s != want {
		t.Errorf("got %q, want %q", s, want)
	}
}

func TestWriteRefusesWhatHasChanged(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "Dockerfile")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	write("a")
	link := filepath.Join(dir, "link")
	if err := os.Symlink("Dockerfile", link); err != nil {
		t.Skip(err)
	}
	c := Change{Path: link, Before: []byte("a"), After: []byte("b")}
	if err := c.Write(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	info, err2 := os.Lstat(file)
	if string(text) != "b" || err != nil || err2 != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("got %q, %v, %v", text, err, info.Mode())
	}
	for _, other := range []string{"a ", ""} {
		write(other)
		if err := c.Write(); !errors.Is(err, ErrChanged) {
			t.Errorf("%q: got %v", other, err)
		}
		if text, _ := os.ReadFile(file); string(text) != other {
			t.Errorf("%q was overwritten with %q", other, text)
		}
	}
	write("a")
	if err := (Change{Path: file, After: []byte("b")}).Write(); !errors.Is(err, ErrChanged) {
		t.Errorf("a file that was not there before: got %v", err)
	}
}

func TestPlan(t *testing.T) {
	rule := &scan.Rule{ID: "SBX999"}
	f := func(safe bool, edits ...scan.Edit) *scan.Finding {
		return (&scan.Finding{Rule: rule}).Mend(&scan.Fix{Edits: edits, Safe: safe})
	}
	a := f(true, scan.Edit{Path: "D", At: at(1, 1, 1, 3)})
	same := f(true, scan.Edit{Path: "D", At: at(1, 1, 1, 3)})
	clash := f(true, scan.Edit{Path: "D", At: at(1, 2, 1, 4)})
	other := f(true, scan.Edit{Path: "E", At: at(1, 2, 1, 4)})
	unsafe := f(false, scan.Edit{Path: "D", At: at(2, 1, 2, 2)})
	none := &scan.Finding{Rule: rule}
	res := &scan.Result{Findings: []*scan.Finding{a, same, clash, other, unsafe, none}}
	all := func(*scan.Finding) bool { return true }
	p := New(res, false, all)
	if len(p.Fixed) != 3 || len(p.Clashes) != 1 || p.Clashes[0] != clash || len(p.Unsafe) != 1 || len(p.Edits) != 2 || strings.Join(p.Paths(), " ") != "D E" {
		t.Errorf("got %+v", p)
	}
	if p := New(res, true, all); len(p.Fixed) != 4 || len(p.Of("D")) != 2 {
		t.Errorf("with unsafe ones: got %+v", p)
	}
}

// TestRefused has what looks like one of those that a fix is made for, and is not, or
// can't be told apart.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		name, text string
		fix        func(*dockerfile.Build, *dockerfile.Instr) *scan.Fix
	}{
		{"the variable is set again", "ENV K=v\nENV K=w", unset},
		{"the variable is used in another instruction", "ENV K=v\nLABEL a=$K", unset},
		{"a RUN in exec form names it", "ENV K=v\nRUN [\"sh\", \"-c\", \"echo $K\"]", unset},
		{"no other file than the policy", "RUN echo x > /etc/motd", Ungrant},
		{"two policies", "RUN echo x > /etc/sudoers.d/a && echo y > /etc/sudoers.d/b", Ungrant},
		{"under a condition", "RUN if true; then echo x > /etc/sudoers.d/a; fi", Ungrant},
		{"after or", "RUN true || echo x > /etc/sudoers.d/a && true", Ungrant},
		{"in two statements", "RUN echo x > /etc/sudoers.d/a; true", Ungrant},
		{"two compileall", "RUN python -m compileall a && python -m compileall b", Beside},
		{"in exec form", `RUN ["python", "-m", "compileall"]`, Beside},
	} {
		t.Run(c.name, func(t *testing.T) {
			file, err := dockerfile.Parse("Dockerfile", []byte("FROM debian:12\n"+c.text+"\n"), limits.Default())
			if err != nil {
				t.Fatal(err)
			}
			b, err := file.Build("", nil)
			if err != nil {
				t.Fatal(err)
			}
			if f := c.fix(b, file.Stages[0].Instrs[0]); f != nil {
				t.Errorf("got %+v", f)
			}
		})
	}
}

func unset(b *dockerfile.Build, in *dockerfile.Instr) *scan.Fix { return Unset(b, in.Span, "K") }

func TestModes(t *testing.T) {
	for mode, want := range map[string]string{
		"777": "755", "0777": "0755", "666": "644", "755": "", "1777": "1755", "2775": "2755", "a+rwx": "u+rwx,go+rx", "ugo+w": "u+w",
		"o+w": "u+w", "go=rw": "u=rw,go=r", "+w": "", "u+w": "", "o-w": "", "a+rX": "", "a+rwX": "u+rwX,go+rX", "g=u": "",
	} {
		if got := least(mode); got != want {
			t.Errorf("%s: got %q, want %q", mode, got, want)
		}
	}
	for mode, want := range map[string]string{"777": "1777", "a+rwx": "a+rwx,+t", "755": "", "o+w": "o+w,+t", "o+r": ""} {
		if got := sticks(mode); got != want {
			t.Errorf("%s with the sticky bit: got %q, want %q", mode, got, want)
		}
	}
}
