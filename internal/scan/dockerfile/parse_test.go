package dockerfile

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

func parse(t *testing.T, text string) *File {
	t.Helper()
	f, err := Parse("Dockerfile", []byte(text), limits.Default())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// outline shows a file as "line CMD args", one instruction a line, and problems
// as "line! what".
func outline(f *File) string {
	var b strings.Builder
	show := func(in *Instr) { fmt.Fprintf(&b, "%d-%d %s %q\n", in.Span.Start, in.Span.End, in.Cmd, in.Args) }
	for _, in := range f.Globals {
		show(in)
	}
	for _, s := range f.Stages {
		show(s.From)
		for _, in := range s.Instrs {
			show(in)
		}
	}
	for _, p := range f.Problems {
		mark := "?"
		if p.Fatal {
			mark = "!"
		}
		fmt.Fprintf(&b, "%d%s %s\n", p.Span.Start, mark, strings.TrimSpace(p.What+" "+p.Hint))
	}
	return b.String()
}

func TestParse(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"lower case, after ENTRYPOINT, indented: D8", "from a\nentrypoint [\"x\"]\n  user 1001\n", `
			1-1 FROM ["a"]
			2-2 ENTRYPOINT ["x"]
			3-3 USER ["1001"]`},
		{"several heredocs, quoted, chomped, with instructions inside: D70",
			"FROM a\nRUN <<-\"E1\" cat <<E2\n\t# no comment\n\tUSER root\n\tE1\nFROM x\nE2\nCOPY <<a.py <<b.py /app/\nUSER root\na.py\n1\nb.py\nUSER 1\n", `
			1-1 FROM ["a"]
			2-7 RUN ["<<-\"E1\" cat <<E2"]
			8-12 COPY ["<<a.py" "<<b.py" "/app/"]
			13-13 USER ["1"]`},
		{"unknown flag: D71", "FROM a\nCOPY --frobnicate=1 . .\nENV K=v\nUSER root\n", `
			1-1 FROM ["a"]
			2-2 COPY ["." "."]
			3-3 ENV ["K=v"]
			4-4 USER ["root"]
			2! COPY has the flag --frobnicate, which is unknown or not valid`},
		{"flags that BuildKit has: D71", "FROM a\nCOPY --exclude=*.md --parents --link --chmod=755 . .\nADD --checksum=sha256:00 --unpack https://x/y /\nRUN --network=host --security=insecure --device=x true\n", `
			1-1 FROM ["a"]
			2-2 COPY ["." "."]
			3-3 ADD ["https://x/y" "/"]
			4-4 RUN ["true"]`},
		{"legacy pair, pairs, value with =: D40, D42, D72", "FROM a\nENV A b c\nENV B=1 C=\"x y\" \\\n  # no\n  D=a=b\nARG E=a=b F\nLABEL g h\nENV TEST \\\n foo \\\n bar\n", `
			1-1 FROM ["a"]
			2-2 ENV ["A=b c"]
			3-5 ENV ["B=1" "C=\"x y\"" "D=a=b"]
			6-6 ARG ["E=a=b" "F"]
			7-7 LABEL ["g=h"]
			8-10 ENV ["TEST=foo  bar"]`},
		{"platform, global: D74, D75", "ARG REGISTRY\nFROM --platform=$BUILDPLATFORM ${REGISTRY}/ubuntu AS Y\n", `
			1-1 ARG ["REGISTRY"]
			2-2 FROM ["${REGISTRY}/ubuntu" "AS" "Y"]`},
		{"broken lines do not hide others", "FROM a\nENV X\nLABEL a=b c\nUSEER root\nUSER\nCMD [\"a\", 1]\nUSER 1\nCMD [\"a\"\n", `
			1-1 FROM ["a"]
			4-4 USEER []
			5-5 USER []
			7-7 USER ["1"]
			8-8 CMD ["[\"a\""]
			2! ENV: must have two arguments
			3! LABEL: Must be of the form: name=value
			4! unknown instruction USEER did you mean USER?
			5! USER: requires exactly one argument
			6! CMD: arrays must be comprised of strings only`},
		{"homoglyph", "FROM a\nUS\u0415R root\n", `
			1-1 FROM ["a"]
			2-2 USЕR []
			2! unknown instruction its keyword has a letter that is not ASCII`},
		{"unterminated heredoc takes the rest", "FROM a\nUSER 1\nRUN <<E\nUSER root\n", `
			1-1 FROM ["a"]
			2-2 USER ["1"]
			3! RUN: unterminated heredoc`},
		{"before FROM", "USER root\nARG X\nFROM a\n", `
			2-2 ARG ["X"]
			3-3 FROM ["a"]
			1! it stands before the first FROM, where only ARG may`},
		{"broken FROM is a stage all the same", "FROM a\nUSER 1\nFROM b c\nUSER root\n", `
			1-1 FROM ["a"]
			2-2 USER ["1"]
			3-3 FROM ["b" "c"]
			4-4 USER ["root"]
			3! FROM: requires either one or three arguments`},
		{"escape and BOM and CRLF", "\xef\xbb\xbf# escape=`\r\nFROM a\r\nRUN dir `\r\n c:\\\r\nUSER ContainerAdministrator\r\n", `
			2-2 FROM ["a"]
			3-4 RUN ["dir  c:\\"]
			5-5 USER ["ContainerAdministrator"]`},
		{"directive twice", "# escape=`\n# escape=`\nFROM a\nUSER 1\n", `
			3-3 FROM ["a"]
			4-4 USER ["1"]
			2! the directive is not valid`},
		{"frontend", "# syntax=evil.example/frontend:1\nFROM a\n", `
			2-2 FROM ["a"]
			1? a syntax directive gives the file to a frontend of its own, which may read it differently`},
		{"usual frontend", "# syntax=docker/dockerfile:1.7-labs@sha256:00\n# check=skip=all\nFROM a\n", `
			3-3 FROM ["a"]`},
		{"ONBUILD", "FROM a\nONBUILD USER root\nONBUILD RUN <<E\nx\nE\nONBUILD ONBUILD RUN y\nONBUILD ENV X\n", `
			1-1 FROM ["a"]
			2-2 ONBUILD ["USER" "root"]
			3-5 ONBUILD ["RUN" "<<E"]
			6-6 ONBUILD ["ONBUILD" "RUN" "y"]
			6! ONBUILD could not be understood
			7! ONBUILD: must have two arguments`},
		{"ONBUILD of ONBUILD of ONBUILD", "FROM a\nonbuild --x ONBUILD \\\n# c\nONBUILD RUN a\nONBUILD RUN ONBUILD\n", `
			1-1 FROM ["a"]
			5-5 ONBUILD ["RUN" "ONBUILD"]
			2! it nests ONBUILD, which no builder takes`},
		{"stages that can't be copied from", "FROM a AS x\nCOPY --from=X / /\nCOPY --from=0 / /\nRUN --mount=from=y a\nFROM a AS y\nCOPY --from=x / /\nCOPY --from=0 / /\nCOPY --from=9 / /\nCOPY --from=b:1 / /\n", `
			1-1 FROM ["a" "AS" "x"]
			2-2 COPY ["/" "/"]
			3-3 COPY ["/" "/"]
			4-4 RUN ["a"]
			5-5 FROM ["a" "AS" "y"]
			6-6 COPY ["/" "/"]
			7-7 COPY ["/" "/"]
			8-8 COPY ["/" "/"]
			9-9 COPY ["/" "/"]
			2? it takes files from a stage that does not come before it; builders may refuse that
			3? it takes files from a stage that does not come before it; builders may refuse that
			4? it takes files from a stage that does not come before it; builders may refuse that
			8? it takes files from a stage that does not come before it; builders may refuse that`},
		{"unknown flag", "FROM a\nCOPY --fron=x a b\nCOPY --a_b a b\n", `
			1-1 FROM ["a"]
			2-2 COPY ["a" "b"]
			3-3 COPY ["a" "b"]
			2! COPY has the flag --fron, which is unknown or not valid
			3! COPY could not be understood`},
		{"bare carriage return and bytes that are no text", "FROM a\nRUN x\rUSER root\nLABEL a=\xff\nUSER 1\n", `
			1-1 FROM ["a"]
			3-3 LABEL ["a=` + "\uFFFD" + `"]
			4-4 USER ["1"]
			2! it has a bare carriage return, which hides text on a terminal
			3? the line has bytes that are not UTF-8 save the file as UTF-8`},
		{"substitution", "FROM a\nUSER ${X:?}\nUSER ${X\nUSER ${:x}\nLABEL a='b\n", `
			1-1 FROM ["a"]
			2-2 USER ["${X:?}"]
			3-3 USER ["${X"]
			4-4 USER ["${:x}"]
			5-5 LABEL ["a='b"]
			3! USER: unsupported modifier
			4! USER: bad substitution
			5! LABEL: a quote or a substitution is not closed`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := outline(parse(t, tt.in))
			want := strings.ReplaceAll(strings.TrimLeft(tt.want, "\n"), "\t", "") + "\n"
			if got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestHeredocs(t *testing.T) {
	f := parse(t, "FROM a\nCOPY <<-'a' <<b /x/\n\tone $X\n\t\ttwo\n\ta\nthree\nb\nONBUILD RUN <<c\nfour\nc\nUSER 1\n")
	want := []Heredoc{{"a", "one $X\ntwo\n", false, 3}, {"b", "three\n", true, 6}}
	if got := f.Stages[0].Instrs[0].Heredocs; !slices.Equal(got, want) {
		t.Errorf("got %+v", got)
	}
	trigger := f.Stages[0].Instrs[1].Trigger
	if trigger == nil || trigger.Cmd != "RUN" || len(trigger.Heredocs) != 1 || trigger.Heredocs[0].Line != 9 || trigger.Span.Start != 8 {
		t.Errorf("got trigger %+v", trigger)
	}
	if in := f.Stages[0].Instrs[0]; in.Text != "COPY <<-'a' <<b /x/\n\tone $X\n\t\ttwo\n\ta\nthree\nb" || in.Exec {
		t.Errorf("got text %q", in.Text)
	}
}

func TestRefused(t *testing.T) {
	small := limits.Default()
	small.DockerfileBytes, small.Stages, small.Instructions = 1000, 3, 8
	for _, tt := range []struct{ name, in, want string }{
		{"empty", "", "it has no instructions"},
		{"comments only", "# a\n\n# b\n", "it has no instructions"},
		{"no FROM", "ARG X=1\n", "it has no FROM"},
		{"UTF-16", "\xff\xfeF\x00R\x00", "it is UTF-16; save it as UTF-8"},
		{"NUL", "FROM a\nUSER \x00\n", "it has a NUL byte at offset 12; a Dockerfile is UTF-8 text"},
		{"two BOMs", "\xef\xbb\xbf\xef\xbb\xbfFROM a", "two byte order marks"},
		{"bare CR", "FROM a\rUSER root\r", "its lines end with a bare carriage return"},
		{"too long", strings.Repeat("#\n", 501), "it is over 1000 bytes"},
		{"stages", strings.Repeat("FROM a\n", 4), "it has over 3 stages"},
		{"instructions", "FROM a\n" + strings.Repeat("RUN a\n", 8), "it has over 8 instructions"},
		{"all broken", "FROM a\n" + strings.Repeat("ENV a\n", 21), "it has over 20 instructions that can't be parsed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse("Dockerfile", []byte(tt.in), small)
			if err == nil || !strings.HasPrefix(err.Error(), "reading Dockerfile: ") || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	lim := limits.Default()
	lim.LineBytes, lim.InstructionBytes, lim.InstructionWords, lim.SubstitutionDepth = 60, 100, 12, 3
	for _, tt := range []struct{ name, in, want string }{
		{"line", "RUN " + strings.Repeat("a", 60), "line 1 of it is over 60 bytes"},
		{"instruction", "RUN a \\\n" + strings.Repeat(strings.Repeat("a", 30)+" \\\n", 4) + "b", "it is over 100 bytes"},
		{"words", "ENV" + strings.Repeat(" a=", 13), "it has over 12 words"},
		{"nesting", "RUN <<E ${a-${a-${a-${a-x}}}}\nE", "it nests ${ deeper than 3"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, err := Parse("Dockerfile", []byte("FROM a\n"+tt.in+"\nUSER 1\n"), lim)
			if err != nil {
				t.Fatal(err)
			}
			if len(f.Problems) == 0 || !f.Problems[0].Fatal || f.Problems[0].Span.Start != 2 || f.Problems[0].What != tt.want {
				t.Errorf("got %+v", f.Problems)
			}
			if last := f.Stages[0].Instrs; len(last) == 0 || last[len(last)-1].Cmd != "USER" {
				t.Errorf("the instruction after it is lost")
			}
		})
	}
}

// What an instruction holds may be a secret, whatever is wrong with it.
func TestProblemsShowNoSecret(t *testing.T) {
	secret := "ghp_" + strings.Repeat("aB3", 12)
	for _, in := range []string{
		"ENV A=1 " + secret, "LABEL " + secret, "SHELL " + secret, secret + " x", "TOKEN=" + secret,
		"COPY --" + secret + "=1 a b", "HEALTHCHECK " + secret, "EXPOSE ${X:" + secret, "ENV X=${Y:" + secret + "}",
		"FROM a AS 0" + secret, "ARG =" + secret, "ENV X=\"" + secret, "RUN --mount=type=" + secret + " x", "# escape=" + secret,
		"CMD [\"" + secret + "\", 1]", "RUN <<" + secret, "STOPSIGNAL ${" + secret, "USER ${X:?" + secret + "}",
	} {
		f, err := Parse("Dockerfile", []byte("FROM a\n"+in+"\n"), limits.Default())
		got := fmt.Sprint(err)
		if f != nil {
			got += fmt.Sprintf("%+v", f.Problems)
			_, err = f.Build("", nil)
			got += fmt.Sprint(err)
		}
		if strings.Contains(strings.ToLower(got), strings.ToLower(secret)) {
			t.Errorf("%.20s...: the problem shows it: %s", in, strings.ReplaceAll(got, secret, "***"))
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("FROM a\nRUN <<E\nx\nE\nCOPY <<-\"F\" /x\n\ty\n\tF\nUSER ${X:-1}\n")
	f.Add("# escape=`\nARG A=1\nFROM $A AS b\nONBUILD ENV X=$A Y ${Z#*.}\nFROM b\nEXPOSE 1-3/udp $A\n")
	f.Add("FROM a\nENV A=$A$A B=${A//x/$A}\nHEALTHCHECK --retries=1 CMD [\"x\"]\nWORKDIR x\nRUN rm -r /a/* && find . -name '*.py' -delete\n")
	lim := limits.Default()
	lim.DockerfileBytes = 8 << 10
	f.Fuzz(func(t *testing.T, text string) {
		file, err := Parse("Dockerfile", []byte(text), lim)
		if err != nil {
			return
		}
		lines := strings.Count(text, "\n") + 1
		for _, s := range file.Stages {
			for _, in := range s.Instrs {
				if in.Span.Start < 1 || in.Span.End < in.Span.Start || in.Span.End > lines {
					t.Fatalf("%s spans %d-%d of %d lines", in.Cmd, in.Span.Start, in.Span.End, lines)
				}
			}
		}
		b, err := file.Build("", nil)
		if err != nil {
			return
		}
		b.Predict(nil)
		Trace(b, []History{{CreatedBy: "RUN |1 A=1 /bin/sh -c x # buildkit"}, {CreatedBy: "/bin/sh -c #(nop) USER 1"}})
	})
}
