package python

import "testing"

func TestHashbang(t *testing.T) {
	for text, want := range map[string]bool{
		"#!/usr/bin/python":                              true,
		"#!/usr/bin/python3.13 -E\nx":                    true,
		"#! /usr/bin/env python3\n":                      true,
		"#!/usr/bin/env -S python3 -u\n":                 true,
		"#!/usr/bin/env -Spython3 -u\n":                  true,
		"#!/usr/bin/env -i A=b python3\n":                true,
		"#!/usr/bin/env -u HOME pypy3\n":                 true,
		"#!/opt/venv/bin/python3.13t\n":                  true,
		"#!/bin/sh\n'''exec' '/a b/bin/python' \"$0\"\n": true,
		"#!/bin/sh\n'''exec' /opt/bin/perl \"$0\"\n":     false,
		"#!/bin/sh\npython3 x\n":                         false,
		"#!/usr/bin/env\n":                               false,
		"#!/usr/bin/env -u python\n":                     false,
		"#!/usr/bin/env bash\n":                          false,
		"#!/usr/bin/pythonista\n":                        false,
		"#!":                                             false,
		"":                                               false,
		"python":                                         false,
		"\n#!/usr/bin/python":                            false,
	} {
		if got := hashbang(text); got != want {
			t.Errorf("hashbang(%q) = %v, want %v", text, got, want)
		}
	}
}

func TestExtended(t *testing.T) {
	for p, want := range map[string]bool{"/bin/pip": false, "/bin/pip3.13": false, "/x.sh": true, "/a.b/c": false, "/.profile": true, "/x.": false} {
		if got := extended(p); got != want {
			t.Errorf("extended(%s) = %v, want %v", p, got, want)
		}
	}
}

func TestTelling(t *testing.T) {
	for p, want := range map[string]bool{
		"/a.py": true, "/a.pyc": true, "/a.tar.gz": true, "/run.cgi": false, "/tool.wsgi": false, "/x.sh": false, "/x": false, "/x.py.tmpl": false,
	} {
		if got := telling(p); got != want {
			t.Errorf("telling(%s) = %v, want %v", p, got, want)
		}
	}
}

func TestSiteDir(t *testing.T) {
	for p, want := range map[string][2]string{
		"/usr/lib/python3/dist-packages/apt/x.py": {"/usr/lib/python3/dist-packages", "apt/x.py"},
		"/a/site-packages/b/dist-packages/c.py":   {"/a/site-packages/b/dist-packages", "c.py"},
		"/a/dist-packages/b/site-packages/c/d.py": {"/a/dist-packages/b/site-packages", "c/d.py"},
		"/app/site-packages.py":                   {},
	} {
		dir, rest, ok := siteDir(p)
		if dir != want[0] || rest != want[1] || ok != (want[0] != "") {
			t.Errorf("siteDir(%s) = %q, %q, %v", p, dir, rest, ok)
		}
	}
}

func TestNormalize(t *testing.T) {
	if got := normalize("Old._Tool"); got != "old-tool" {
		t.Errorf("normalize: %q", got)
	}
}
