package packages

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/packages/rpmdb/rpmtest"
)

// TestReadRPM checks what is kept of a database, in each format.
func TestReadRPM(t *testing.T) {
	const records = "P:shadow-utils\nF:/usr/bin/\nR:newgrp\na:0:0:6755\nR:gpasswd\nP:gpg-pubkey\n"
	for _, format := range []string{"sqlite", "ndb", "bdb"} {
		db, err := rpmtest.Database(format, records)
		if err != nil {
			t.Fatal(err)
		}
		for _, cut := range []int64{0, 1} {
			l, ok := readRPM(image.Entry{Size: int64(len(db)) + cut}, []byte(db))
			if got := l.text.String(); !ok || got != records || l.cut != (cut > 0) {
				t.Errorf("%s: got %q, cut %v; want %q", format, got, l.cut, records)
			}
		}
	}
}

// A package that lists ever so much makes the list incomplete, not endless: here two
// long directories take turns, each with names of one byte.
func TestRecordsAreBounded(t *testing.T) {
	var records strings.Builder
	records.WriteString("P:many\n")
	for range 9_000 {
		fmt.Fprintf(&records, "F:/%[1]s\nR:x\nF:/%[1]s/x\nR:x\n", strings.Repeat("d", 4000))
	}
	db, err := rpmtest.Database("ndb", records.String())
	if err != nil {
		t.Fatal(err)
	}
	l, _ := readRPM(image.Entry{Size: int64(len(db))}, []byte(db))
	if n := l.text.Size; !l.cut || n > maxRecords+2*4096 {
		t.Errorf("%d bytes of records, cut %v", n, l.cut)
	}
}

func TestRecords(t *testing.T) {
	const text = "R:x\nP:a\nF:\nR:root\na:0:0:2755\nF:usr/bin\nR:x\n\nP:b\nR:y\na:0:0:4755\na:zz\n"
	var got []string
	for o := range records("", text) {
		got = append(got, fmt.Sprint(o.pkg, " ", o.path, " ", o.bits))
	}
	want := []string{" /x ----------", "a /root g---------", "a /usr/bin/x ----------", "b /y ug---------"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
