package dockerfile

import (
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

// cut is what stands in a range, lines joined by "|".
func cut(text string, r Range) string {
	if r.IsZero() {
		return "-"
	}
	var out []string
	lines := strings.Split(strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n"), "\n")
	for n := r.Start.Line; n <= r.End.Line; n++ {
		line := utf16.Encode([]rune(lines[n-1]))
		from, to := 0, len(line)
		if n == r.Start.Line {
			from = r.Start.Column - 1
		}
		if n == r.End.Line {
			to = r.End.Column - 1
		}
		out = append(out, string(utf16.Decode(line[from:to])))
	}
	return strings.Join(out, "|")
}

func TestLayout(t *testing.T) {
	const flag, pair, args, mention, body = "flag ", "pair ", "args", "mention ", "body"
	for _, c := range []struct{ name, text, what, want string }{
		{"a flag", "RUN --network=host make", flag + "--network", "--network=host"},
		{"the second flag", "RUN --mount=type=cache,target=/x --network=host make", flag + "--network", "--network=host"},
		{"a flag on the next line", "RUN \\\n  --network=host \\\n  make", flag + "--network", "--network=host"},
		{"no such flag", "RUN make", flag + "--network", "-"},
		{"a word that looks like a flag", "RUN make --network=host", flag + "--network", "-"},
		{"a pair of several", "ENV A=1 KEY=two B=3", pair + "KEY", "KEY=two"},
		{"a pair in quotes", `ENV A="x y" KEY="a \" b" B=3`, pair + "KEY", `KEY="a \" b"`},
		{"an old-style pair", "ENV KEY some words", pair + "KEY", "KEY some words"},
		{"a pair with umlauts and emoji before it", "ENV A=\"ü🎉\" KEY=two", pair + "KEY", "KEY=two"},
		{"the last of two", "ENV K=1 K=2", pair + "K", "K=2"},
		{"a pair on a continued line", "ENV A=1 \\\n# comment K=0\n\n    K=2", pair + "K", "K=2"},
		{"an ARG without a value", "ARG K", pair + "K", "K"},
		{"a label in quotes", `LABEL "a.b"="c d" e=f`, pair + "a.b", `"a.b"="c d"`},
		{"arguments", "USER  app ", args, "app"},
		{"indented, in lower case", "  \tuser\tapp", args, "app"},
		{"arguments over two lines", "CMD [\"a\", \\\n  \"b\"]", args, `["a", \|  "b"]`},
		{"a path", "RUN chmod 777 /etc /etc/passwd /etc/passwd2", mention + "/etc/passwd", "/etc/passwd"},
		{"a path that goes on", "RUN chmod 777 /etc/passwd", mention + "/etc", "-"},
		{"a path in a later line", "RUN a && \\\n    chmod 777 /data && \\\n    b", mention + "/data", "/data"},
		{"a path in a heredoc", "RUN <<EOF\ntrue\nchmod 777 /data\nEOF", mention + "/data", "/data"},
		{"a line of a heredoc", "RUN cat > /x <<EOF\none\ntwo\nEOF", body, "two"},
		{"without tabs", "RUN cat > /x <<-EOF\n\tone\n\t\ttwo\n\tEOF", body, "two"},
		{"of the second one", "COPY <<A <<B /x/\n1\nA\none\ntwo\nB", body, "two"},
		{"another escape character", "USER app\nRUN a `\n  chmod 777 /data", mention + "/data", "/data"},
	} {
		t.Run(c.name, func(t *testing.T) {
			head := "FROM scratch\n"
			if strings.Contains(c.text, "`") {
				head = "# escape=`\nFROM scratch\n"
			}
			for _, variant := range []string{"", "\ufeff"} {
				text := variant + head + c.text
				f, err := Parse("Dockerfile", []byte(text), limits.Default())
				if err != nil {
					t.Fatal(err)
				}
				instrs := f.Stages[0].Instrs
				in := instrs[len(instrs)-1]
				l := f.Layout(in)
				kind, arg, _ := strings.Cut(c.what, " ")
				var r Range
				switch kind {
				case "flag":
					r = l.Flag(arg)
				case "pair":
					r = l.Pair(arg)
				case "args":
					r = l.Args()
				case "mention":
					r = l.Mention(arg)
				case "body":
					r = l.Body(in.Heredocs[len(in.Heredocs)-1], 2)
				}
				if got := cut(text, r); got != c.want {
					t.Errorf("got %q (%v), want %q", got, r, c.want)
				}
				if f.Find(in.Span) != in {
					t.Error("the instruction is not found by its span")
				}
			}
		})
	}
}

// Every part lies within its instruction, in order, whatever the text.
func FuzzLayout(f *testing.F) {
	f.Add("FROM a\nENV A=1 \\\n B=\"2 3\"\nRUN --network=host <<EOF\nx\nEOF\n")
	f.Add("# escape=`\nFROM a\nRUN a ` \n\n # c\n b\u00a0\\\\\n")
	f.Add("FROM\u00a0a\n\u2003user x\\\n")
	f.Fuzz(func(t *testing.T, text string) {
		file, err := Parse("Dockerfile", []byte(text), limits.Default())
		if err != nil {
			return
		}
		for _, st := range file.Stages {
			for _, in := range append([]*Instr{st.From}, st.Instrs...) {
				l := file.Layout(in)
				for _, r := range append(l.Words(), l.Keyword(), l.Args(), l.Mention("x"), l.Flag("--network"), l.Pair("A")) {
					if !r.IsZero() && (r.End.Before(r.Start) || r.Start.Line < in.Span.Start || r.End.Line > in.Span.End || r.Start.Column < 1) {
						t.Errorf("%v is not within %v", r, in.Span)
					}
				}
			}
		}
	})
}
