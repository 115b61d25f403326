package main

import "testing"

func TestProgressLineFitsTheTerminal(t *testing.T) {
	for _, tt := range []struct {
		columns int
		want    string
	}{
		{0, "reading agents/ünïcode.tar: 12 MB"},
		{80, "reading agents/ünïcode.tar: 12 MB"},
		{34, "reading agents/ünïcode.tar: 12 MB"},
		{33, "reading agents/ünïcode...: 12 MB"},
		{5, "reading ...: 12 MB"},
	} {
		if got := progressLine("agents/ünïcode.tar", 12e6, tt.columns); got != tt.want {
			t.Errorf("%d columns: got %q, want %q", tt.columns, got, tt.want)
		}
	}
}
