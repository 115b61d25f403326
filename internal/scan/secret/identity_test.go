package secret

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
)

func TestID(t *testing.T) {
	a, b := NewKey(), NewKey()
	value := newMaker().text(24)
	if again := a.ID(value); again != a.ID(value) || again == a.ID(value+"x") {
		t.Error("IDs of one key do not tell values apart")
	}
	if a.ID(value) == b.ID(value) {
		t.Error("two runs give a value the same ID")
	}
	if bare := sha256.Sum256([]byte(value)); a.ID(value).String() == hex.EncodeToString(bare[:]) {
		t.Error("the ID is a bare hash")
	}
}

func TestConfiguredKey(t *testing.T) {
	text := []byte(newMaker().text(32))
	a, err := ConfiguredKey(text)
	if err != nil {
		t.Fatal(err)
	}
	if b, _ := ConfiguredKey(text); a.ID("x") != b.ID("x") {
		t.Error("one configured key gives two IDs")
	}
	if _, err := ConfiguredKey(text[:15]); err == nil || strings.Contains(err.Error(), string(text[:15])) {
		t.Errorf("a short key: %v", err)
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%x", "%d"} {
		if s := fmt.Sprintf(verb, a); s != "(key)" {
			t.Errorf("%s prints %q", verb, s)
		}
	}
}
