package packed

import (
	"strings"
	"testing"
)

func TestRoundTrip(t *testing.T) {
	for _, s := range []string{"", "a", "root:x:0:0::/root:/bin/sh\n", strings.Repeat("\x00\xff", 1<<17)} {
		b := []byte(s)
		p := Pack(b)
		for i := range b {
			b[i] = '!' // a probe's buffer is used again
		}
		if got := p.String(); got != s {
			t.Errorf("%d bytes came back as %d others", len(s), len(got))
		}
	}
}

func TestSmall(t *testing.T) {
	if p := Pack(make([]byte, 1<<18)); len(p.Deflated) > 1<<11 {
		t.Errorf("256 KiB of zeros take %d bytes", len(p.Deflated))
	}
}
