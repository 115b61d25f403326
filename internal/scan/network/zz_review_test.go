package network

import (
	"strings"
	"testing"
	"time"
	"fmt"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/commands"
)

func timed(t *testing.T, what string, f func()) {
	start := time.Now()
	f()
	t.Logf("%s: %v", what, time.Since(start))
}

func TestZZ(t *testing.T) {
	timed(t, "npx", func() { Listening(strings.Fields(strings.Repeat("npx ", 20000)), func(string) (string, bool) { return "", false }) })
	timed(t, "python", func() { Listening(strings.Fields(strings.Repeat("python -m ", 20000)), func(string) (string, bool) { return "", false }) })
	read := func(path, text string) {
		Firewalls.Read(image.Entry{Path: path, Size: int64(len(text)), Mode: 0o755}, []byte(text))
	}
	timed(t, "nft long rule", func() {
		read("/a.nft", "table inet f {\nchain o { type filter hook output priority 0; policy drop\n"+strings.Repeat("jump a\n", 300)+"}\nchain a {\n"+strings.Repeat("a ", 100_000)+"accept\n}\n}\n")
	})
	timed(t, "nft chains", func() {
		var b strings.Builder
		b.WriteString("table inet f {\nchain o { type filter hook output priority 0; policy drop; }\n")
		for i := range 9000 {
			fmt.Fprintf(&b, "chain c%d {}\n", i)
		}
		b.WriteString("chain z {\n" + strings.Repeat("a;", 50_000) + "}\n")
		read("/a.nft", b.String())
	})
	timed(t, "iptables -I", func() { read("/a.sh", "# OUTPUT\n"+strings.Repeat("iptables -I OUTPUT -j X\n", 10_000)) })
	timed(t, "iptables long", func() {
		read("/a.sh", "# OUTPUT\n"+strings.Repeat("iptables -A OUTPUT -j X\n", 5000)+"iptables -P OUTPUT DROP\niptables -A X -d "+strings.Repeat("a", 100_000)+"$(x) -j ACCEPT\n")
	})
	for _, n := range []int{100, 200, 400, 800} {
		timed(t, fmt.Sprint("nested ", n), func() {
			read("/a.sh", "# OUTPUT\n"+strings.Repeat("a=$(b=1; ", n)+"x"+strings.Repeat(")", n)+"\n")
		})
	}
	timed(t, "sed", func() {
		s := commands.Parse("sed -i '" + strings.Repeat("s/a/b/;", 2000) + "' " + strings.Repeat("/a ", 2000))
		t.Log(len(s.Written()))
	})
}
