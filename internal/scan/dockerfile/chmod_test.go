package dockerfile

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

func TestChmods(t *testing.T) {
	for _, c := range []struct{ run, want string }{
		{"RUN chmod u+s /bin/bash", "u+s /bin/bash 4755"},
		{"RUN apt-get update && chmod -R 777 /opt /srv/x/ || true", "777 /opt 0777 deep, 777 /srv/x 0777 deep"},
		{"WORKDIR /w\nRUN chmod 4755 a && cd /b && /bin/chmod a+w c", "4755 /w/a 4755, a+w /b/c 0777"},
		{"RUN cd $(pwd) && chmod 777 a /b", "777 /b 0777"},
		{"ENV D=/data\nRUN sudo chmod --recursive 1777 $D", "1777 /data 1777 deep"},
		{`RUN ["chmod", "4755", "/bin/sh"]`, "4755 /bin/sh 4755"},
		{"RUN <<EOF\nchmod 666 /etc/passwd\nEOF", "666 /etc/passwd 0666"},
		{"RUN chmod -x /a && chmod -- 700 /b", "-x /a 0644, 700 /b 0700"},
		{"RUN echo chmod 777 /x; # chmod 777 /y", ""},
		{"RUN chmod $(stat -c %a /x) /y && chmod g=u /etc/passwd && chmod 777 $X", ""},
		{"RUN chmod", ""},
		{"SHELL [\"pwsh\"]\nRUN chmod 777 /x", ""},
		{"RUN if", ""},
	} {
		f, err := Parse("Dockerfile", []byte("FROM debian\n"+c.run+"\n"), limits.Default())
		if err != nil {
			t.Fatal(err)
		}
		b, err := f.Build("", nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range b.Chmods() {
			s := fmt.Sprintf("%s %s %04o", m.Mode, m.Path, toUnix(m.Apply(0o755)))
			if m.Deep {
				s += " deep"
			}
			got = append(got, s)
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.run, s, c.want)
		}
	}
}
