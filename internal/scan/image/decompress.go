package image

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

// Decompress returns the uncompressed bytes of r and the name of the compression
// it found by magic bytes: "gzip" (RFC 1952), "zstd" (RFC 8878, also behind
// skippable frames) or "none". It fails on compressions that runtimes do not
// agree to read (xz, bzip2, lz4). Closing does not close r.
func Decompress(r *bufio.Reader, lim limits.Limits) (io.ReadCloser, string, error) {
	head, _ := r.Peek(6) // a shorter stream is no compression
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b, 0x08}):
		z, err := gzip.NewReader(r)
		if err != nil {
			return nil, "gzip", fmt.Errorf("reading the gzip header: %w", err)
		}
		return z, "gzip", nil
	case bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}), isSkippableFrame(head):
		z, err := zstd.NewReader(r, zstd.WithDecoderMaxWindow(lim.ZstdWindow), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(false))
		if err != nil {
			return nil, "zstd", fmt.Errorf("reading the zstd header: %w", err)
		}
		return &zstdReader{z.IOReadCloser(), lim.ZstdWindow}, "zstd", nil
	case bytes.HasPrefix(head, []byte{0xfd, '7', 'z', 'X', 'Z', 0}):
		return nil, "xz", fmt.Errorf("compressed with xz, which is not read")
	case bytes.HasPrefix(head, []byte("BZh")):
		return nil, "bzip2", fmt.Errorf("compressed with bzip2, which is not read")
	case bytes.HasPrefix(head, []byte{0x04, 0x22, 0x4d, 0x18}):
		return nil, "lz4", fmt.Errorf("compressed with lz4, which is not read")
	}
	return io.NopCloser(r), "none", nil
}

// compressionOf is what the media type of a layer says of its compression, in the
// words of Decompress (OCI image-spec, media-types.md; Docker's schema 2 has a dot
// where OCI has a plus). It is empty if that does not say: Docker's plain type never
// kept a layer from being compressed.
func compressionOf(mediaType string) string {
	switch {
	case strings.HasSuffix(mediaType, "tar+gzip"), strings.HasSuffix(mediaType, "tar.gzip"):
		return "gzip"
	case strings.HasSuffix(mediaType, "tar+zstd"), strings.HasSuffix(mediaType, "tar.zstd"):
		return "zstd"
	case strings.HasSuffix(mediaType, ".v1.tar"):
		return "none"
	}
	return ""
}

// A zstdReader tells of a frame that asks for too much memory in our words.
type zstdReader struct {
	io.ReadCloser
	window uint64
}

func (z *zstdReader) Read(p []byte) (int, error) {
	n, err := z.ReadCloser.Read(p)
	if errors.Is(err, zstd.ErrWindowSizeExceeded) || errors.Is(err, zstd.ErrDecoderSizeExceeded) {
		err = &windowError{z.window}
	}
	return n, err
}

// A windowError says that a zstd frame asks its reader to keep more than window
// bytes (RFC 8878, 3.1.1.1.2).
type windowError struct{ window uint64 }

func (w *windowError) Error() string {
	return fmt.Sprintf("its zstd window is over the limit of %d bytes", w.window)
}

// Hint says what the user can do.
func (w *windowError) Hint() string {
	return "compress the layer again with a window of 8 MiB or less, as engines do"
}

// isSkippableFrame reports a zstd skippable frame (RFC 8878, 3.1.2): magic
// 0x184D2A50 to 0x184D2A5F, little endian.
func isSkippableFrame(b []byte) bool {
	return len(b) >= 4 && b[0]&0xf0 == 0x50 && b[1] == 0x2a && b[2] == 0x4d && b[3] == 0x18
}
