package pyc

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func FuzzMarshal(f *testing.F) {
	seeds(f)
	for _, s := range []string{"\xa9\x02r\x00\x00\x00\x00N", "{NNz\x01a)\x010", "(\xff\xff\xff\x7f", "l\x00\x00\x00\x80", strings.Repeat(")\x01", 600)} {
		f.Add(file(s))
	}
	f.Add(file(strings.Repeat("\xa9\x02", 60) + "N" + "r\x3b\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := Read(b, DefaultLimits())
		if (got == nil) == (err == nil) {
			t.Fatalf("file %v, error %v", got, err)
		}
	})
}

func FuzzInstructions(f *testing.F) {
	for v := Oldest; v <= Newest; v++ {
		f.Add(uint8(v), "d\x00S\x00\x90\x01\x90\x00d\x05", "\x80\x00\x06\x01\xf0\x03\x01\x01\x01\x01", "\x82\x04\x06\x03")
	}
	f.Fuzz(func(t *testing.T, version uint8, code, lines, handlers string) {
		c := &Code{Version: Oldest + Version(version)%(Newest-Oldest+1), Bytecode: code, LineTable: lines, ExceptionTable: handlers, FirstLine: 1}
		end := 0
		for _, i := range c.Instructions() {
			if i.Start != end || i.Offset < i.Start || i.Next <= i.Offset || i.Next > len(code) || i.Name == "" {
				t.Fatalf("%+v behind %d", i, end)
			}
			end = i.Next
		}
		end = 0
		for _, l := range c.Lines() {
			if l.Start != end || l.End <= l.Start {
				t.Fatalf("%+v behind %d", l, end)
			}
			end = l.End
		}
		if n := len(c.LineStarts()); n > len(c.Lines()) {
			t.Fatalf("%d lines start", n)
		}
		for _, h := range c.Handlers() {
			if h.Start < 0 || h.End < h.Start || h.Target < 0 || h.Depth < 0 {
				t.Fatalf("%+v", h)
			}
		}
	})
}

func seeds(f *testing.F) {
	files, err := filepath.Glob("testdata/*.pyc")
	if err != nil || len(files) == 0 {
		f.Fatal(err)
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
}
