package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// An output is one -o: a format and where it goes.
type output struct {
	format string
	file   string // empty for standard output
}

// outputs reads every -o FORMAT[=FILE].
func (o *options) parseOutputs() ([]output, error) {
	var out []output
	stdout := 0
	for _, s := range o.outputs {
		format, file, _ := strings.Cut(s, "=")
		if !slices.Contains(formats, format) {
			return nil, didYouMean(fmt.Errorf("-o %s: there is no format %q", s, format), format, formats)
		}
		if file == "-" {
			file = ""
		}
		if file == "" {
			if stdout++; stdout > 1 {
				return nil, &hinted{fmt.Errorf("-o %s: only one format can go to standard output", s), fmt.Sprintf("give it a file: -o %s=FILE", format)}
			}
		}
		out = append(out, output{format, file})
	}
	return out, nil
}

// write makes the output with render. A file appears whole or not at all.
func (o output) write(stdout io.Writer, render func(io.Writer) error) error {
	var b bytes.Buffer
	if err := render(&b); err != nil {
		return fmt.Errorf("writing %s: %w", o.format, err)
	}
	if o.file == "" {
		_, err := stdout.Write(b.Bytes())
		return err
	}
	if info, err := os.Stat(o.file); err == nil && !info.Mode().IsRegular() {
		return o.overwrite(b.Bytes()) // a device or pipe has no name to rename to
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("writing %s: %w", o.format, err)
	}
	return o.replace(b.Bytes())
}

func (o output) overwrite(b []byte) error {
	if err := os.WriteFile(o.file, b, 0o644); err != nil {
		return fmt.Errorf("writing %s: %w", o.format, err)
	}
	return nil
}

// replace writes beside the file and renames, so that nobody reads half of it.
func (o output) replace(b []byte) error {
	dir, base := filepath.Split(o.file)
	tmp, err := os.CreateTemp(filepath.Clean(dir+"."), "."+base+".*")
	if err != nil {
		return fmt.Errorf("writing %s: %w", o.format, err)
	}
	_, err = tmp.Write(b)
	err = errors.Join(err, tmp.Chmod(0o644), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), o.file)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("writing %s: %w", o.format, err), os.Remove(tmp.Name()))
	}
	return nil
}
