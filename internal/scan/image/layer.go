package image

import (
	"archive/tar"
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// Layer reads one stored layer, compressed or not, to its last byte. What can't
// be read is told in Content.Problems (with Layer set to -1), and what was read
// until then is kept. name is for messages only.
func (s *Scanner) Layer(ctx context.Context, name string, r io.Reader) *Content {
	c := s.layer(ctx, name, r, true)
	s.keep(c)
	return c
}

// layer reads one layer; alone, if no other keeps the other cores busy meanwhile.
func (s *Scanner) layer(ctx context.Context, name string, r io.Reader, alone bool) (c *Content) {
	b := s.NewLayer(ctx)
	defer func() {
		if v := recover(); v != nil {
			b.problem(NotAudited, "", fmt.Sprintf("reading it stopped on an internal error: %v", v), "please report this")
		}
		c = b.Content()
	}()
	stored := &meter{ctx: ctx, r: r, sum: sha256.New(), tell: func(n int) { s.progress(name, n) }}
	br := bufio.NewReaderSize(stored, chunkBytes)
	z, compression, err := Decompress(br, s.Limits)
	b.content.Compression = compression
	if err != nil {
		b.problem(NotAudited, "", err.Error(), "store the layer as gzip, zstd or plain tar")
		return c
	}
	defer z.Close()
	s.unpack(b, stored, br, z, alone && runtime.GOMAXPROCS(0) > 1)
	return c
}

// unpack walks the archive in z, then reads both streams to their ends so that
// their digests cover every byte, whatever the archive says about its own end.
// Apart, it decodes, hashes and walks on different cores.
func (s *Scanner) unpack(b *Builder, stored *meter, br *bufio.Reader, z io.Reader, apart bool) {
	c := &b.content
	if c.Compression == "none" {
		stored.sum = nil // the diff ID is the digest
	}
	out := &meter{ctx: b.ctx, r: z}
	out.check = func() error { return s.overBudget(out.n, stored.n, c.Compression) }
	decode, end := stage(out, apart)
	defer end()
	sum := sha256.New()
	hashed, end := stage(io.TeeReader(decode, sum), apart)
	defer end()
	archive := newSkipper(hashed)

	err := s.walk(b, archive)
	after := &nonZero{}
	if _, derr := io.Copy(after, archive); derr != nil && err == nil {
		err = fmt.Errorf("reading past the end of the archive: %w", derr)
	}
	if _, derr := io.Copy(io.Discard, br); derr != nil && err == nil {
		err = fmt.Errorf("reading past the end of the compressed data: %w", derr)
	}
	c.Stored, c.Uncompressed = stored.n, out.n
	c.DiffID, c.Digest = digest(sum), digest(stored.sum)
	if c.Digest == "" {
		c.Digest = c.DiffID
	}
	switch {
	case err != nil:
		b.broken(err)
	case after.n > 0:
		b.problem(Ambiguous, "", fmt.Sprintf("%d bytes stand behind the end of the archive; no runtime unpacks them", after.n), "rebuild the layer")
	}
}

// stage returns r, or what reads ahead of it in a goroutine until end is called.
func stage(r io.Reader, apart bool) (ahead io.Reader, end func()) {
	if !apart {
		return r, func() {}
	}
	a := newReadAhead(r)
	return a, a.Close
}

// walk feeds every entry of the archive to b.
func (s *Scanner) walk(b *Builder, r *skipper) error {
	tr := tar.NewReader(r)
	for n := 0; ; n++ {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			if r.block == nil {
				b.problem(Remark, "", "its archive has no mark at its end, as if it were cut off; runtimes take it", "")
			}
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading the header of entry %d: %w", n, err)
		}
		if n >= s.Limits.Entries {
			return limitError("entries", int64(s.Limits.Entries), "--max-entries")
		}
		b.sizes(h, r.block)
		if err := b.header(h, tr); err != nil {
			return fmt.Errorf("reading entry %d: %w", n, err)
		}
	}
}

// sizes compares the size that an extended header gives with that of the header
// behind it. Where they differ, so does where readers look for the next entry. The
// field can't hold 8 GiB.
func (b *Builder) sizes(h *tar.Header, header []byte) {
	const most = 8 << 30
	if _, given := h.PAXRecords["size"]; !given || h.Size >= most || header == nil {
		return
	}
	const at, end = 124, 136 // pax, "ustar Interchange Format"
	field := strings.Trim(string(header[at:end]), " \x00")
	if n, err := strconv.ParseInt(field, 8, 64); err != nil || n != h.Size {
		b.problem(Ambiguous, h.Name, fmt.Sprintf("is %d bytes long by its extended header, as runtimes read it, and not by its own; other readers may see other entries behind it", h.Size), "rebuild the layer")
	}
}

// header turns one archive header into an event.
func (b *Builder) header(h *tar.Header, body io.Reader) error {
	e := Entry{
		Mode: h.FileInfo().Mode(), UID: h.Uid, GID: h.Gid, Size: h.Size, Link: h.Linkname,
		Xattrs: b.xattrs(h), Sparse: sparse(h),
	}
	switch h.Typeflag {
	case tar.TypeXGlobalHeader:
		return nil
	case tar.TypeReg, tar.TypeCont, tar.TypeGNUSparse:
	case tar.TypeLink:
		e.HardLink, e.Size = true, 0
	case tar.TypeDir, tar.TypeSymlink, tar.TypeChar, tar.TypeBlock, tar.TypeFifo:
		if e.Size > 0 {
			b.problem(Remark, h.Name, fmt.Sprintf("claims a body of %d bytes, which its type can't have; runtimes take none", e.Size), "")
		}
		e.Size = 0
	default:
		b.problem(Ambiguous, h.Name, fmt.Sprintf("has the unknown entry type %q; runtimes refuse it", h.Typeflag), "")
		return nil
	}
	return b.add(h.Name, e, body)
}

// sparse reports whether a file has holes, in the old format or in an extended
// header (GNU tar manual, "Storing Sparse Files").
func sparse(h *tar.Header) bool {
	_, pax := h.PAXRecords["GNU.sparse.major"]
	_, old := h.PAXRecords["GNU.sparse.size"]
	return h.Typeflag == tar.TypeGNUSparse || pax || old
}

const xattrPrefix = "SCHILY.xattr."

// xattrs keeps the extended attributes of a PAX header (pax, "SCHILY.xattr.*"),
// those of the kernel's security modules first.
func (b *Builder) xattrs(h *tar.Header) map[string]string {
	if len(h.PAXRecords) == 0 {
		return nil
	}
	var kept map[string]string
	more := false
	for _, k := range slices.SortedFunc(maps.Keys(h.PAXRecords), securityFirst) {
		name, ok := strings.CutPrefix(k, xattrPrefix)
		switch v := h.PAXRecords[k]; {
		case !ok:
		case len(v) > b.s.Limits.XattrBytes || len(kept) >= b.s.Limits.PAXRecords:
			more = true
		case kept == nil:
			kept = map[string]string{name: v}
		default:
			kept[name] = v
		}
	}
	if more {
		b.problem(Remark, h.Name, "has more or larger extended attributes than are kept", "")
	}
	return kept
}

func securityFirst(a, b string) int {
	rank := func(k string) int {
		if strings.HasPrefix(k, xattrPrefix+"security.") {
			return 0
		}
		return 1
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
}

// overBudget reports the limit that out uncompressed bytes from in stored bytes
// exceed.
func (s *Scanner) overBudget(out, in int64, compression string) error {
	switch l := s.Limits; {
	case out > l.LayerBytes:
		return limitError("uncompressed bytes of one layer", l.LayerBytes, "--max-layer-bytes")
	case s.spent.Load()+out > l.ImageBytes:
		return limitError("uncompressed bytes of all layers", l.ImageBytes, "--max-image-bytes")
	case compression != "none" && out > l.RatioAfter && in > 0 && out/in > l.Ratio:
		return limitError("uncompressed bytes per stored byte", l.Ratio, "--max-ratio")
	}
	return nil
}

// A limit is an error that a higher limit would avoid.
type limit struct {
	what string
	max  int64
	flag string
}

func limitError(what string, max int64, flag string) error { return &limit{what, max, flag} }

func (l *limit) Error() string { return fmt.Sprintf("over the limit of %d %s", l.max, l.what) }

// Hint says what the user can do.
func (l *limit) Hint() string { return "raise it with " + l.flag }

// A meter counts and hashes what passes, and stops when the context ends or a
// check fails.
type meter struct {
	ctx   context.Context
	r     io.Reader
	n     int64
	err   error     // that ended it: no decoder is asked to go on behind an error
	sum   hash.Hash // nil if nobody asks
	check func() error
	tell  func(int)
}

func (m *meter) Read(p []byte) (n int, err error) {
	if m.err == nil {
		m.err = m.ctx.Err()
	}
	if m.err != nil {
		return 0, m.err
	}
	n, m.err = m.r.Read(p)
	m.n += int64(n)
	if m.sum != nil {
		m.sum.Write(p[:n])
	}
	if m.tell != nil && n > 0 {
		m.tell(n)
	}
	if m.check != nil {
		if over := m.check(); over != nil {
			m.err = over
		}
	}
	return n, m.err
}

// digest is empty if nothing was hashed.
func digest(h hash.Hash) string {
	if h == nil {
		return ""
	}
	return fmt.Sprintf("sha256:%x", h.Sum(nil))
}

// nonZero counts the bytes written to it that are not padding.
type nonZero struct{ n int64 }

func (z *nonZero) Write(p []byte) (int, error) {
	for _, c := range p {
		if c != 0 {
			z.n++
		}
	}
	return len(p), nil
}
