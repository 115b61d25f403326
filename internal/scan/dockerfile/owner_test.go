package dockerfile

import (
	"io/fs"
	"testing"
)

func TestParseMode(t *testing.T) {
	for _, tt := range []struct {
		mode     string
		from, to uint32 // to is 0 if the mode can't be read
	}{
		{"755", 0o644, 0o755}, {"0", 0o644, 0o10000}, {"4755", 0o644, 0o4755}, {"10000", 0o644, 0}, {"u+s", 0o755, 0o4755},
		{"+x", 0o644, 0o755}, {"a+rx", 0o640, 0o755}, {"go-rwx", 0o777, 0o700}, {"u=rw,go=r", 0o777, 0o644}, {"o+w", 0o644, 0o646},
		{"g+s", 0o755, 0o2755}, {"+t", 0o777, 0o1777}, {"a+X", 0o644, 0o644}, {"a+X", 0o744, 0o755}, {"o=", 0o777, 0o770},
		{"g=u", 0o700, 0}, {"x", 0o700, 0}, {"u+z", 0o700, 0}, {"", 0o700, 0}, {"u+r-w", 0o700, 0},
	} {
		change, ok := parseMode(tt.mode)
		if ok != (tt.to != 0) {
			t.Errorf("%q: ok is %v", tt.mode, ok)
			continue
		}
		if ok {
			if got := toUnix(change(fromUnix(tt.from))); got != tt.to&0o7777 {
				t.Errorf("%q: got %o from %o", tt.mode, got, tt.from)
			}
		}
	}
	if x, _ := parseMode("a+X"); toUnix(x(fs.ModeDir|0o600)) != 0o711 {
		t.Error("X does not count for directories")
	}
}
