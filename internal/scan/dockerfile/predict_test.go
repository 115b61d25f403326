package dockerfile

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

// contextOf makes a build context. A name that ends in a slash is a directory,
// "a -> b" a symbolic link; the content of a file is its name.
func contextOf(t *testing.T, names ...string) *Context {
	t.Helper()
	dir := t.TempDir()
	for _, n := range names {
		name, link, isLink := strings.Cut(n, " -> ")
		name, body, hasBody := strings.Cut(name, "=")
		if !hasBody {
			body = name
		}
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		switch {
		case isLink:
			err = os.Symlink(link, p)
		case strings.HasSuffix(name, "/"):
			err = os.MkdirAll(p, 0o755)
		default:
			err = os.WriteFile(p, []byte(body), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	c, err := OpenContext(dir, "", limits.Default())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// told shows predicted layers, one event a line: "line +path mode owner content",
// "-path", "?path", "*path".
func told(t *testing.T, layers []PredictedLayer) string {
	t.Helper()
	var b strings.Builder
	for _, l := range layers {
		for _, e := range l.Events {
			fmt.Fprintf(&b, "%d ", l.Step.Instr.Span.Start)
			switch e := e.(type) {
			case Add:
				b.WriteString("+" + e.Path)
				switch {
				case e.Mode.IsDir():
					b.WriteString("/")
				case e.Link != "":
					b.WriteString(" -> " + e.Link)
				case e.Open == nil:
					b.WriteString(" <unknown>")
				default:
					fmt.Fprintf(&b, " %q", content(t, e))
				}
				if m := toUnix(e.Mode); e.Mode&fs.ModeSymlink == 0 && m != 0o644 && m != 0o755 {
					fmt.Fprintf(&b, " %o", m)
				}
				if owner := fmt.Sprintf("%s%d:%s%d", e.User, e.UID, e.Group, e.GID); owner != "0:0" {
					b.WriteString(" " + owner)
				}
			case Remove:
				b.WriteString("-" + e.Path)
			case Perhaps:
				b.WriteString("?" + e.Path)
			case UnknownUnder:
				b.WriteString("*" + e.Path)
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

func content(t *testing.T, a Add) string {
	t.Helper()
	f, err := a.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	if int64(len(text)) != a.Size {
		t.Errorf("%s: size is %d, content %d bytes", a.Path, a.Size, len(text))
	}
	return string(text)
}

var app = []string{"app/a.py", "app/b.pyc", "app/sub/c.py", "app/.hid.py", "app/sub/link -> ../a.py", "run.sh", "x.tar.gz", "Dockerfile"}

func TestPredictCopy(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"directory: its contents", "COPY app /srv/app\n", `
			2 +/srv/app/
			2 +/srv/app/.hid.py "app/.hid.py"
			2 +/srv/app/a.py "app/a.py"
			2 +/srv/app/b.pyc "app/b.pyc"
			2 +/srv/app/sub/
			2 +/srv/app/sub/c.py "app/sub/c.py"
			2 +/srv/app/sub/link -> ../a.py`},
		{"to the working directory, owner and mode", "WORKDIR /w\nCOPY --chown=1000:app --chmod=u+s,go-r run.sh .\n", `
			2 +/w/
			3 +/w/run.sh "run.sh" 4600 1000:app0`},
		{"file to a file, to a directory, to one every base has", "COPY run.sh /opt/x\nCOPY run.sh /y/\nCOPY run.sh /usr/local/bin\nCOPY run.sh /y\n", `
			2 +/opt/x "run.sh"
			3 +/y/run.sh "run.sh"
			4 +/usr/local/bin/run.sh "run.sh"
			5 +/y/run.sh "run.sh"`},
		{"wildcards take hidden files, several sources", "COPY app/*.py run.s? /d/\nCOPY none* /d/\n", `
			2 +/d/.hid.py "app/.hid.py"
			2 +/d/a.py "app/a.py"
			2 +/d/run.sh "run.sh"`},
		{"exclude, parents", "COPY --exclude=*.py --exclude=sub app /d/\nCOPY --parents app/./sub/*.py /p/\nCOPY --parents app/sub/c.py /q/\n", `
			2 +/d/
			2 +/d/b.pyc "app/b.pyc"
			3 +/p/sub/c.py "app/sub/c.py"
			4 +/q/app/sub/c.py "app/sub/c.py"`},
		{"a link as the source is followed", "COPY app/sub/link /z\n", `
			2 +/z "app/a.py"`},
		{"heredocs", "ARG V=1\nCOPY <<a.py <<'b.py' /h/\nx=\"$V\"\na.py\ny=$V\nb.py\nCOPY <<E /f\n$NONE\nE\n", `
			3 +/h/a.py "x=\"1\"\n"
			3 +/h/b.py "y=$V\n"
			8 +/f <unknown>`},
		{"what the context does not hold", "COPY gone /d\nCOPY $X /d\nCOPY run.sh $X\n", `
			2 */d
			3 */d
			4 */`},
		{"ADD", "ADD x.tar.gz /d/\nADD --unpack=false x.tar.gz /e/\nADD https://h.example/f?q=1 /e/\nADD https://h.example/r.git /r\n", `
			2 */d
			3 +/e/x.tar.gz "x.tar.gz"
			4 +/e/f <unknown> 600
			5 */r`},
		{"another image", "COPY --from=busybox /bin/sh /b\n", "\n2 */b"},
		{"a working directory that exists", "WORKDIR /opt\nWORKDIR /\nWORKDIR $X\nUSER 5:6\nWORKDIR /n\n", "\n6 +/n/ 5:6"},
		{"files a user makes are the user's", "USER 5:app\nRUN echo x > /tmp/y\n", "\n3 +/tmp/y \"x\\n\" 5:app0"},
		{"an instruction that was not understood", "COPY --frob=1 a b\n", "\n2 ?/\n2 */"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			agree(t, tt.want, told(t, build(t, "FROM x\n"+tt.in, "").Predict(contextOf(t, app...))))
		})
	}
}

func agree(t *testing.T, want, got string) {
	t.Helper()
	want = strings.ReplaceAll(strings.TrimLeft(want, "\n"), "\t", "")
	if got = strings.TrimRight(got, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestPredictStages(t *testing.T) {
	ctx := contextOf(t, app...)
	for _, tt := range []struct{ name, in, want string }{
		{"exact from scratch", "FROM scratch AS s\nCOPY --chown=7:8 app/sub /in\nFROM x\nCOPY --from=s /in /out\nCOPY --from=0 /in/c.py /o/\nCOPY --from=s /none /n\n", `
			4 +/out/ 7:8
			4 +/out/c.py "app/sub/c.py" 7:8
			4 +/out/link -> ../a.py 7:8
			5 +/o/c.py "app/sub/c.py" 7:8
			6 */n`},
		{"what the base may hold", "FROM x AS s\nCOPY run.sh /usr/lib/m/run.sh\nFROM x\nCOPY --from=s /usr/lib /l\nCOPY --from=s /other /o\n", `
			4 +/l/
			4 +/l/m/run.sh "run.sh"
			4 */l
			5 */o`},
		{"what a command may have changed", "FROM scratch AS s\nCOPY run.sh /d/\nRUN make\nCOPY run.sh /e/\nFROM x\nCOPY --from=s /d /d\nCOPY --from=s /e /e\n", `
			6 +/d/
			6 +/d/run.sh "run.sh"
			6 ?/d
			6 ?/d/run.sh
			6 */d
			7 +/e/
			7 +/e/run.sh "run.sh"
			7 */e`},
		{"stage on a stage", "FROM scratch AS a\nCOPY run.sh /r\nFROM a\nRUN rm /r\n", `
			2 +/r "run.sh"
			4 -/r`},
		{"a later stage, itself", "FROM x AS a\nCOPY --from=a /r /r\nCOPY --from=b /r /s\nFROM y AS b\n", "\n2 */r\n3 */s"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			target := ""
			if strings.HasPrefix(tt.name, "a later") {
				target = "a"
			}
			agree(t, tt.want, told(t, build(t, tt.in, target).Predict(ctx)))
		})
	}
	agree(t, "\n2 */d", told(t, build(t, "FROM x\nCOPY . /d\n", "").Predict(nil)))
}

func TestPredictRun(t *testing.T) {
	ctx := contextOf(t, app...)
	for _, tt := range []struct{ name, run, want string }{
		{"rm", "rm -rf /app/sub && rm /app/a.py && rm -f /app/none", "-/app/a.py -/app/none -/app/sub"},
		{"rm of a directory needs -r", "rm -f /app/sub; true", ""},
		{"a pattern leaves hidden files", "cd /app && rm *.py", "-/app/a.py"},
		{"a quoted pattern is a name", "rm '/app/*.py'", "-/app/*.py"},
		{"a pattern that matches nothing", "rm -rf /var/lib/apt/lists/*", ""},
		{"variables", "d=/app; for f in a.py .hid.py; do rm \"$d/$f\"; done", "-/app/.hid.py -/app/a.py"},
		{"a loop over files", "for f in /app/*.py; do rm $f; done", "?/ */"},
		{"a name that is not known", "rm -rf $DIR/x", "?/ */"},
		{"find -delete", "find /app -name '*.py' -delete", "-/app/.hid.py -/app/a.py -/app/sub/c.py"},
		{"find, escaped pattern, in the directory", "cd /app && find . -name \\*.py -type f -delete", "-/app/.hid.py -/app/a.py -/app/sub/c.py"},
		{"find -exec", "find /app -type f -name '*.py' -exec rm -f {} +", "-/app/.hid.py -/app/a.py -/app/sub/c.py"},
		{"find -exec, each", "find /app -name c.py -exec rm {} \\;", "-/app/sub/c.py"},
		{"find | xargs", "find /app -name '*.py' -not -path '*/sub/*' -print0 | xargs -0 rm -f", "-/app/.hid.py -/app/a.py"},
		{"find -perm, nothing has it", "find / -xdev -type f -perm /6000 -exec chmod a-s {} +", ""},
		{"find -perm, all of it", "find /app -type f -perm -0644 -delete", "-/app/.hid.py -/app/a.py -/app/b.pyc -/app/sub/c.py"},
		{"find -perm, just that", "chmod 600 /app/a.py && find /app -type f -perm 600 -delete", "-/app/a.py"},
		{"find -perm in letters", "find /app -perm u+s -delete", "?/ */"},
		{"find -prune", "find /app -name sub -prune -o -name '*.py' -print | xargs rm", "-/app/.hid.py -/app/a.py"},
		{"find -delete visits what -prune names", "find /app -depth -name sub -prune -o -name '*.py' -delete", "-/app/.hid.py -/app/a.py -/app/sub/c.py"},
		{"find with precedence: -delete belongs to the last", "find /app -name a.py -o -name c.py -delete", "-/app/sub/c.py"},
		{"find with parentheses and depth", "find /app -maxdepth 1 \\( -name a.py -o -name c.py \\) -delete", "-/app/a.py"},
		{"find -delete with -prune is refused", "find /app -name sub -prune -o -name '*.py' -delete; true", ""},
		{"find -delete leaves full directories", "find /app -name sub -delete", ""},
		{"find that is not understood", "find /app -newer x -delete", "?/ */"},
		{"find that only prints", "find /app -newer x", ""},
		{"mv", "mv /app/sub /opt/ && mv /app/a.py /app/b.py", "-/app/a.py -/app/sub +/app/b.py +/opt/sub/ +/opt/sub/c.py +/opt/sub/link"},
		{"cp", "cp -r /app/sub /app/sub2 && cp -r /app/sub/. /opt/ && cp /app/a.py /tmp", "+/app/sub2/ +/app/sub2/c.py +/app/sub2/link +/opt/c.py +/opt/link +/tmp/a.py"},
		{"cp leaves special bits and what the umask takes", "chmod 6777 /app/a.py && cp /app/a.py /app/n && cp -p /app/a.py /app/o", "+/app/a.py:6777 +/app/n +/app/o:6777"},
		{"cp from the base", "cp /etc/hosts /app/h", "*/app/h"},
		{"made and removed in one step", "cp /app/a.py /app/z.py && rm /app/z.py", ""},
		{"removed and made again", "rm -r /app/sub && mkdir /app/sub && touch /app/sub/n", "-/app/sub +/app/sub/ +/app/sub/n"},
		{"links", "ln -s /app /l && rm /l/a.py && ln -sf x /app/b.pyc", "-/app/a.py +/app/b.pyc +/l"},
		{"chmod, chown", "chmod 4755 /app/a.py && chown -R 5:6 /app/sub && chmod u+x /etc/hosts", "+/app/a.py:4755 +/app/sub/ +/app/sub/c.py +/app/sub/link ?/etc/hosts"},
		{"writing", "echo a > /app/n; echo b >> /app/n; printf 'c\\n' >/app/p; cat > /app/q <<E\nd\nE", "+/app/n=a,b, +/app/p=c, +/app/q=d,"},
		{"tee", "echo 'x ALL' | sudo tee -a /app/s >/dev/null", "+/app/s=x ALL,"},
		{"writing what is not known", "date > /app/n; curl -sSLo /app/m https://x.example/y", "+/app/m<unknown> +/app/n<unknown>"},
		{"adding to a file of the base", "echo x >> /etc/sudoers", "+/etc/sudoers<unknown>"},
		{"perhaps", "if [ -f /x ]; then rm /app/a.py; fi; test -d /y && touch /app/t; false || rm /app/sub/c.py", "?/app/a.py ?/app/sub/c.py */app/t"},
		{"or true is certain", "rm /app/a.py || true", "-/app/a.py"},
		{"subshell", "(cd /app && rm a.py); rm a.py", "-/a.py -/app/a.py"},
		{"function", "f() { rm /app/a.py; }; f", "-/app/a.py"},
		{"sh -c", "sh -ec 'cd /app; rm a.py'", "-/app/a.py"},
		{"an exit that may not come", "[ -d /x ] || exit 0; rm /app/a.py", "?/app/a.py"},
		{"an exit that ends the build", "[ -d /x ] || exit 1; rm /app/a.py", "-/app/a.py"},
		{"an exit", "(exit 0); rm /app/a.py; exit; rm /app/b.pyc", "-/app/a.py"},
		{"pip installs our own", "pip install --no-cache-dir .", "*/usr"},
		{"pip installs from an index", "python -m pip install -r /app/r.txt requests", ""},
		{"harmless", "set -eux; apt-get update && apt-get install -y x && pip install -r r.txt && npm ci && useradd app && python -m venv /v && . /v/bin/activate && export A=1", ""},
		{"not understood", "make", "?/ */"},
		{"npm run", "npm run build", "?/ */"},
		{"python", "python setup.py install", "?/ */"},
		{"compileall", "python -m compileall -q /app", "+/app/__pycache__/ +/app/__pycache__/.hid.cpython-312.pyc<unknown> +/app/__pycache__/a.cpython-312.pyc<unknown> +/app/sub/__pycache__/ +/app/sub/__pycache__/c.cpython-312.pyc<unknown>"},
		{"compileall -b", "python -OO -m compileall -b /app/sub && find /app -name '*.py' -delete", "-/app/.hid.py -/app/a.py -/app/sub/c.py +/app/sub/c.pyc"},
		{"tar", "tar xzf x.tgz -C /app", "?/app */app"},
		{"git clone", "git clone --depth 1 https://x.example/r.git", "*/r"},
		{"sed -i", "sed -i s/a/b/ /app/a.py; sed s/a/b/ /app/a.py", "+/app/a.py<unknown>"},
		{"does not parse", "if", "?/ */"},
		{"a very deep script", strings.Repeat("(", 5000), "?/ */"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := "FROM python:3.12-slim\nCOPY app /app\nRUN <<'RUN'\n" + tt.run + "\nRUN\n"
			layers := build(t, text, "").Predict(ctx)
			if got := brief(t, layers[1]); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// brief shows the events of one layer in a line.
func brief(t *testing.T, l PredictedLayer) string {
	t.Helper()
	var out []string
	for line := range strings.Lines(told(t, []PredictedLayer{l})) {
		_, e, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		p, rest, _ := strings.Cut(e, " ")
		switch {
		case rest == "<unknown>":
			p += rest
		case strings.HasPrefix(rest, `"app/`) && strings.Contains(rest, `" `):
			p += ":" + rest[strings.LastIndex(rest, " ")+1:]
			p = strings.TrimSuffix(p, ":5:6")
		case strings.HasPrefix(rest, `"`) && !strings.HasPrefix(rest, `"app/`) && rest != `""`:
			p += "=" + strings.ReplaceAll(strings.Trim(rest, `"`), `\n`, ",")
		}
		out = append(out, p)
	}
	return strings.Join(out, " ")
}

func TestPredictForms(t *testing.T) {
	ctx := contextOf(t, app...)
	for _, tt := range []struct{ name, in, want string }{
		{"exec form", "RUN [\"rm\", \"-r\", \"/app/sub\"]\n", "-/app/sub"},
		{"exec form of a shell", "RUN [\"sh\", \"-c\", \"rm /app/*.py\"]\n", "-/app/a.py"},
		{"heredoc for a program", "RUN <<E sh\nrm /app/a.py\nE\n", "?/ */"},
		{"heredoc with a shebang", "RUN <<E\n#!/usr/bin/env bash\nrm /app/a.py\nE\n", "-/app/a.py"},
		{"heredoc in another language", "RUN <<E\n#!/usr/bin/env python3\nprint()\nE\n", "?/ */"},
		{"another shell", "SHELL [\"powershell\", \"-c\"]\nRUN rm /app/a.py\n", "?/ */"},
		{"mounts are not in the layer", "RUN --mount=type=cache,target=/app/sub rm -rf /app/sub/c.py && echo x > /app/sub/y && cp /app/sub/z /app/z\n", "*/app/z"},
		{"nor is what was there lost", "RUN --mount=type=bind,target=/app/sub ls\nRUN rm -r /app/sub\n", "-/app/sub"},
		{"patterns of mounts", "RUN --mount=target=/src cp /src/*.py /app/\n", "*/app"},
		{"variables of the build", "ARG D=/app\nENV E=a\nRUN rm $D/$E.py\n", "-/app/a.py"},
		{"working directory", "WORKDIR /app\nRUN rm a.py\n", "-/app/a.py"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			layers := build(t, "FROM x\nCOPY app /app\n"+tt.in, "").Predict(ctx)
			if got := brief(t, layers[len(layers)-1]); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestPredictIsBounded(t *testing.T) {
	var in strings.Builder
	in.WriteString("FROM scratch AS s0\nCOPY . /\n")
	for i := range 400 {
		fmt.Fprintf(&in, "FROM scratch AS s%d\nCOPY --from=s%d / /a\nCOPY --from=s%d / /b\n", i+1, i, i)
	}
	const work = 20_000
	layers := build(t, in.String(), "").predict(contextOf(t, app...), work)
	events := 0
	for _, l := range layers {
		events += len(l.Events)
	}
	if events == 0 || events > work {
		t.Errorf("got %d events", events)
	}
	last := layers[len(layers)-1].Events
	if _, ok := last[len(last)-1].(UnknownUnder); !ok {
		t.Errorf("the last layer does not say that it is not known")
	}
}
