package source

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// pipe opens an archive that can be read only once: from standard input, from an
// engine, or compressed as a whole.
func (op *opener) pipe(ctx context.Context, target, pick string, r io.Reader) (*Opened, error) {
	a, err := op.passing(ctx, r)
	if err != nil {
		return nil, err
	}
	return op.opened(ctx, target, pick, a)
}

// passing scans an archive while it passes, to the last byte.
func (op *opener) passing(ctx context.Context, r io.Reader) (*archive, error) {
	br := bufio.NewReaderSize(r, 64<<10)
	head, err := br.Peek(HeadBytes)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	switch kind := Looks(head); {
	case len(head) == 0:
		return nil, errors.New("it is empty")
	case kind == Text:
		return nil, hint(errors.New("it is text, not an image archive"), "for a Dockerfile, use --from dockerfile")
	case kind == Unknown:
		return nil, hint(errors.New("it is neither a tar archive nor one compressed with gzip or zstd"), "make one with docker save or skopeo copy")
	}
	plain, _, err := image.Decompress(br, op.lim)
	if err != nil {
		return nil, err
	}
	defer plain.Close()
	all := &bounded{r: plain, max: op.lim.ImageBytes, over: overLimit("bytes of one archive", op.lim.ImageBytes, "--max-image-bytes")}
	a := &archive{members: map[string]*member{}}
	p := passage{ctx: ctx, op: op, left: documentsPerArchive * op.lim.ConfigBytes}
	if err := a.index(ctx, all, op.lim, p.visit); err != nil {
		return nil, err
	}
	if _, err := io.Copy(io.Discard, all); err != nil {
		return nil, fmt.Errorf("reading past the end of the archive: %w", err)
	}
	return a, nil
}

// documentsPerArchive bounds the memory for documents, in configs of full size.
const documentsPerArchive = 8

// A passage looks at the members of an archive while they pass. What a member is
// for comes only with the manifest, often at the end: documents are kept, layers
// are scanned, and the rest can't be part of an image.
type passage struct {
	ctx  context.Context
	op   *opener
	left int64 // bytes of documents that may be kept
}

func (p *passage) visit(m *member, body io.Reader) error {
	br := bufio.NewReaderSize(body, HeadBytes)
	head, err := br.Peek(HeadBytes)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	switch {
	case isDocument(head):
		return p.document(m, br)
	case isTar(head) || !isText(head) || len(head) == 0:
		m.content = p.op.Scanner.Layer(p.ctx, m.name, br)
	}
	return nil
}

// isDocument reports whether head starts a JSON object or array. A tar header
// may start with the same byte, as it starts with a file name.
func isDocument(head []byte) bool {
	text := bytes.TrimLeft(head, " \t\r\n")
	return len(text) > 0 && (text[0] == '{' || text[0] == '[') && !isTar(head)
}

func (p *passage) document(m *member, body io.Reader) (err error) {
	if m.size > p.op.lim.ConfigBytes {
		m.lost = fmt.Errorf("%q: %w", m.name, configSize(p.op.lim).error())
		return nil
	}
	if p.left -= m.size; p.left < 0 {
		m.lost = hint(fmt.Errorf("%q: the archive holds too many documents to be read from a pipe", m.name), "save it to a plain file and give that")
		return nil
	}
	m.bytes, err = readAll(body, configSize(p.op.lim))
	return err
}

// A bounded reader fails when more comes out of r than it may.
type bounded struct {
	r      io.Reader
	n, max int64
	over   error
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if b.n += int64(n); b.n > b.max {
		return n, b.over
	}
	return n, err
}
