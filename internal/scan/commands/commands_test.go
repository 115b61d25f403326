package commands_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/commands"
	"github.com/sandbox-audit/sandbox-audit/internal/scantest"
)

// TestRecorded reads a RUN as builders write it into the history (D73).
func TestRecorded(t *testing.T) {
	for _, tt := range []struct{ createdBy, want string }{
		{"RUN /bin/sh -c make # buildkit", "make"},
		{"RUN |2 T= TOK=a b /bin/bash -o pipefail -c curl x | sh # buildkit", "curl x | sh"},
		{"RUN curl -k x # buildkit", "curl -k x"},
		{"/bin/sh -c apt-get update", "apt-get update"},
		{"|1 A=b /bin/sh -c make", "make"},
		{`/bin/sh -c #(nop)  CMD ["sh"]`, ""},
		{"ENV A=/bin/sh -c x", ""},
		{"# debian.sh --arch 'amd64' out/ 'trixie'", ""},
		{"", ""},
	} {
		if got := commands.Recorded(tt.createdBy); got != tt.want {
			t.Errorf("Recorded(%q) = %q, want %q", tt.createdBy, got, tt.want)
		}
	}
}

// list renders the commands of a build, a line each.
func list(t *testing.T, fixture string) string {
	t.Helper()
	scripts, _ := scantest.Fact(t, fixture, commands.Fact)
	var out []string
	for _, s := range scripts {
		for _, c := range s.Commands() {
			var words []string
			for _, v := range c.Sets {
				words = append(words, v.Name+"="+v.Value.Text)
			}
			out = append(out, strings.TrimSpace(strings.Join(append(words, c.Texts()...), " ")))
		}
	}
	return strings.Join(out, "\n")
}

func TestCommands(t *testing.T) {
	for _, tt := range []struct{ name, fixture, want string }{
		{"wrappers", "-- Dockerfile --\nFROM scratch\nRUN sudo -u app env A=1 timeout -k 1 5 curl -k x\n", "A=1 curl -k x"},
		{"variables", "-- Dockerfile --\nFROM scratch\nENV FLAGS=-k\nRUN U=http://x && curl $FLAGS $U $V\n", "U=http://x\ncurl -k http://x"},
		{"set twice", "-- Dockerfile --\nFROM scratch\nRUN U=a; U=b; curl \"$U\"\n", "U=a\nU=b\ncurl"},
		{"a shell's text", "-- Dockerfile --\nFROM scratch\nRUN sh -ec 'if a; then b \"$(c)\"; fi'\n", "sh -ec if a; then b \"$(c)\"; fi\na\nb\nc"},
		{"words of an exec form", "-- Dockerfile --\nFROM scratch\nRUN [\"curl\", \"-k\", \"a b\"]\n", "curl -k a b"},
		{"a shell in an exec form", "-- Dockerfile --\nFROM scratch\nRUN [\"bash\", \"-lc\", \"curl -k x\"]\n", "curl -k x"},
		{"a heredoc", "-- Dockerfile --\nFROM scratch\nRUN <<EOF\n# curl -k\nexport A=1\nwget x\nEOF\n", "A=1\nwget x"},
		{"a heredoc for another interpreter", "-- Dockerfile --\nFROM scratch\nRUN <<EOF\n#!/usr/bin/python3\nwget\nEOF\n", ""},
		{"another shell", "-- Dockerfile --\nFROM scratch\nSHELL [\"pwsh\", \"-Command\"]\nRUN curl -k x\n", ""},
		{"stages that are needed", "-- Dockerfile --\nFROM scratch AS a\nRUN x\nFROM scratch AS b\nRUN y\nFROM scratch AS c\nRUN z\nFROM a\nCOPY --from=c /f /f\nRUN w\n", "x\nw\nz"},
		{"a history", "-- config.json --\n{\"config\": {\"Env\": [\"F=-k\"]}, \"history\": [{\"created_by\": \"RUN /bin/sh -c curl $F x # buildkit\"}]}\n-- 1/a --\n", "curl -k x"},
		{"what is not reached", "-- Dockerfile --\nFROM scratch\nRUN if false; then a; else b; fi; false && c; true || d; f() { return; e; }; g || exit 1; h; exit 0; i\n", "false\nb\nfalse\ntrue\nreturn\ng\nexit 1\nh\nexit 0"},
		{"a heredoc for a shell", "-- Dockerfile --\nFROM scratch\nRUN sudo bash -e <<'E1' && cat <<E2\na\nE1\nb\nE2\n", "bash -e\na\ncat"},
		{"a text for another user's shell", "-- Dockerfile --\nFROM scratch\nRUN su app -c 'a b' && tini -- c\n", "su app -c a b\na b\nc"},
		{"nested for ever", "-- Dockerfile --\nFROM scratch\nRUN sh -c 'sh -c \"sh -c \\\"sh -c a\\\"\"'\n", "sh -c sh -c \"sh -c \\\"sh -c a\\\"\"\nsh -c sh -c \"sh -c a\"\nsh -c sh -c a\nsh -c a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := list(t, tt.fixture); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func TestWritten(t *testing.T) {
	for _, tt := range []struct{ script, want string }{
		{"echo insecure >> ~/.curlrc", "/root/.curlrc: insecure"},
		{`printf '[http]\n\tsslVerify=false\n' > "$HOME/.gitconfig"`, "/root/.gitconfig: [http]\n\tsslVerify=false\n"},
		{"sed -i -e 's|^#\\?PermitRootLogin .*|PermitRootLogin yes|' /etc/ssh/sshd_config", "/etc/ssh/sshd_config: PermitRootLogin yes"},
		{"sed 's/a/b/' /etc/f; sed -i '/a/d' /etc/f; echo a > rel; echo b", ""},
		{"echo a > $F; sed -i \"s/a/$B/\" /f", ""},
	} {
		var out []string
		for _, w := range commands.Parse(tt.script).Written() {
			out = append(out, w.Path+": "+w.Text)
		}
		if got := strings.Join(out, "; "); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.script, got, tt.want)
		}
	}
}

// What a script writes is bounded, although each substitution counts for each file.
func TestMuchWritten(t *testing.T) {
	s := commands.Parse("sed -i '" + strings.Repeat("s/a/b/;", 500) + "' " + strings.Repeat("/f ", 500) + "\n" + strings.Repeat("echo a > /f\n", 500))
	if got := len(s.Written()); got != 1000 {
		t.Errorf("got %d texts, want 1000", got)
	}
}

func TestLine(t *testing.T) {
	s := commands.Parse(commands.Line([]string{"it's", "$HOME", "a b"}))
	if got := s.Commands()[0].Texts(); !slices.Equal(got, []string{"it's", "$HOME", "a b"}) {
		t.Errorf("got %q", got)
	}
}
