package image

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

// A Scanner reads layers, offering content to its probes. It is safe for
// concurrent use; its memory for file content is bounded over all layers.
type Scanner struct {
	Limits limits.Limits
	// Progress, if set, is told of stored bytes as they are read. It must be
	// safe for concurrent use.
	Progress func(layer string, n int)
	// Done, if set, is told of each layer of a source of which nothing is left to be
	// read. It must be safe for concurrent use.
	Done func(layer string)
	// Known, if set, holds the layers that were read before.
	Known *Known

	readers    []Reader
	mem        *semaphore.Weighted
	spent      atomic.Int64 // uncompressed bytes of the layers that are done
	kept       atomic.Int64 // bytes of text in facts
	schemeOnce sync.Once
	schemeIs   *scheme // nil if some fact is no plain data
}

// NewScanner returns a Scanner for the given probes.
func NewScanner(probes []Reader, lim limits.Limits) *Scanner {
	return &Scanner{Limits: lim, readers: probes, mem: semaphore.NewWeighted(lim.InFlight)}
}

func (s *Scanner) progress(layer string, n int) {
	if s.Progress != nil {
		s.Progress(layer, n)
	}
}

func (s *Scanner) done(layer string) {
	if s.Done != nil {
		s.Done(layer)
	}
}

// Load reads the layers of src that were not read yet, in parallel, checks each
// against the digest and diff ID it should have, and replays them to decide each
// file's fate. It fails only if ctx ends; what could not be read is in
// Image.Problems.
func (s *Scanner) Load(ctx context.Context, src *Source) (*Image, error) {
	b, err := s.LoadBase(ctx, src)
	if err != nil {
		return nil, err
	}
	return b.Image, nil
}

// A Base is an image that was read so that another one can be predicted on it.
type Base struct {
	Image *Image

	src      *Source
	contents []*Content // of its layers
}

// LoadBase is Load for an image that others are predicted on.
func (s *Scanner) LoadBase(ctx context.Context, src *Source) (*Base, error) {
	contents := make([]*Content, len(src.Layers))
	img := &Image{Config: src.Config, NoConfig: src.NoConfig, Problems: slices.Clone(src.Problems)}
	o := newOverlay(img, s.Limits.Hops)
	err := s.contents(ctx, src, func(i int, c *Content) {
		contents[i] = c
		o.apply(img.addLayer(c, diffID(src, i), src.Layers[i].Digest), c)
		img.problems(i, c.Problems)
		img.problems(i, mismatches(src, i, c))
	})
	if err != nil {
		return nil, err
	}
	img.pair()
	o.finish()
	return &Base{img, src, contents}, nil
}

func diffID(src *Source, i int) string {
	if i < len(src.Config.DiffIDs) {
		return src.Config.DiffIDs[i]
	}
	return ""
}

// contents reads every layer that was not read from a pipe, the largest first, so
// that none is left to run alone at the end. It gives them to use one by one, oldest
// first, each as soon as it and all below it are there.
func (s *Scanner) contents(ctx context.Context, src *Source, use func(int, *Content)) error {
	order := make([]int, len(src.Layers))
	var total int64
	for i, b := range src.Layers {
		order[i] = i
		total += b.Size
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(src.Layers[b].Size, src.Layers[a].Size) })
	line := queue{contents: make([]*Content, len(order)), use: use}
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for _, i := range order {
		b := src.Layers[i]
		g.Go(func() error {
			if b.Content == nil {
				// A layer larger than a core's share is read on when all others are done.
				alone := b.Size > total/int64(runtime.GOMAXPROCS(0))
				b.Content = s.open(gctx, b, diffID(src, i), alone)
			}
			s.done(b.Name)
			line.put(i, b.Content)
			return gctx.Err()
		})
	}
	if err := g.Wait(); err != nil {
		return fmt.Errorf("reading the layers of %s: %w", src.Name, err)
	}
	return nil
}

// A queue puts contents that come in any order back in theirs.
type queue struct {
	mu       sync.Mutex
	contents []*Content
	next     int // the first that is not used yet
	use      func(int, *Content)
}

// put uses the content at i, and those that waited for it, unless it must wait itself.
func (q *queue) put(i int, c *Content) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.contents[i] = c
	for q.next < len(q.contents) && q.contents[q.next] != nil {
		q.use(q.next, q.contents[q.next])
		q.next++
	}
}

// mismatches compares what was read with what manifest and config promised. A
// layer that was not read to its end has told so already.
func mismatches(src *Source, i int, c *Content) []Problem {
	if !c.whole() {
		return nil
	}
	b := src.Layers[i]
	var out []Problem
	differ := func(what, got, want string) {
		out = append(out, Problem{Kind: NotAudited, Layer: i, Hint: "get the image again, or rebuild it",
			What: fmt.Sprintf("is not the layer the image names: its %s is %s, not %s", what, got, want)})
	}
	if want := diffID(src, i); want != "" && c.DiffID != want {
		differ("diff ID", c.DiffID, want)
	}
	if b.Digest != "" && c.Digest != b.Digest {
		differ("digest", c.Digest, b.Digest)
	}
	if b.Size >= 0 && c.Stored != b.Size {
		differ("size", fmt.Sprint(c.Stored), fmt.Sprint(b.Size))
	}
	switch says := compressionOf(b.MediaType); says {
	case c.Compression, "":
	case "none":
		out = append(out, Problem{Kind: Ambiguous, Layer: i, Hint: "rebuild the image",
			What: fmt.Sprintf("its media type says that it is not compressed, its bytes are %s; runtimes differ on whether to decompress it", c.Compression)})
	default:
		out = append(out, Problem{Kind: Remark, Layer: i,
			What: fmt.Sprintf("its media type says %s, its bytes %s; runtimes go by the bytes", says, c.Compression)})
	}
	return out
}

// A Predicted is one layer of a predicted image.
type Predicted struct {
	Content *Content
	Step    int // index of the step that makes it, after those of the base; -1 if none does
}

// Assemble makes a predicted image of layers that were built, not read, with the
// config and history that the build would leave. unreadBase names the external
// base below them; empty if there is none.
func (s *Scanner) Assemble(cfg Config, unreadBase string, steps []Step, layers []Predicted) *Image {
	img := &Image{Config: cfg, UnreadBase: unreadBase}
	return s.predict(img, newOverlay(img, s.Limits.Hops), steps, layers)
}

// AssembleOn is Assemble on a base image that was read.
func (s *Scanner) AssembleOn(b *Base, cfg Config, steps []Step, layers []Predicted) *Image {
	img := &Image{Config: b.src.Config, Problems: slices.Clone(b.src.Problems)}
	o := newOverlay(img, s.Limits.Hops)
	for i, c := range b.contents {
		o.apply(img.addLayer(c, diffID(b.src, i), b.src.Layers[i].Digest), c)
		img.problems(i, c.Problems)
		img.problems(i, mismatches(b.src, i, c))
	}
	img.pair()
	img.Config, img.BaseSteps = cfg, len(img.Steps)
	return s.predict(img, o, steps, layers)
}

// predict puts predicted layers over those of the base.
func (s *Scanner) predict(img *Image, o *overlay, steps []Step, layers []Predicted) *Image {
	img.Predicted = true
	img.Steps = append(img.Steps, steps...)
	for _, p := range layers {
		l := img.addLayer(p.Content, "", "")
		if p.Step >= 0 {
			l.Step = img.BaseSteps + p.Step
			img.Steps[l.Step].Layer = l
		}
		img.problems(l.Index, p.Content.Problems)
		for _, u := range p.Content.unseen {
			u.Layer = l
			img.Unseen = append(img.Unseen, u)
		}
		for _, u := range p.Content.installed {
			u.Layer = l
			img.Installed = append(img.Installed, u)
		}
		o.apply(l, p.Content)
	}
	o.finish()
	return img
}

func (img *Image) addLayer(c *Content, diffID, digest string) *Layer {
	l := &Layer{Index: len(img.Layers), DiffID: diffID, Digest: cmp.Or(digest, c.Digest), Step: -1}
	img.Layers = append(img.Layers, l)
	return l
}

func (img *Image) problems(layer int, ps []Problem) {
	for _, p := range ps {
		p.Layer = layer
		img.Problems = append(img.Problems, p)
	}
}

// pair matches history entries with layers. A history that does not account for
// every layer keeps its text and loses the pairing.
func (img *Image) pair() {
	filled := 0
	for _, h := range img.Config.History {
		if !h.EmptyLayer {
			filled++
		}
	}
	fits := filled == len(img.Layers)
	if !fits && len(img.Config.History) > 0 {
		img.Problems = append(img.Problems, Problem{Kind: Remark, Layer: -1,
			What: fmt.Sprintf("the history accounts for %d layers, the image has %d: which instruction made which layer is unknown", filled, len(img.Layers))})
	}
	next := 0
	for i, h := range img.Config.History {
		s := Step{CreatedBy: h.CreatedBy}
		if fits && !h.EmptyLayer {
			s.Layer = img.Layers[next]
			s.Layer.Step = i
			next++
		}
		img.Steps = append(img.Steps, s)
	}
}
