package image

import (
	"crypto/sha256"
	"fmt"
	"reflect"
)

// A Store keeps bytes under keys, for later runs. It may lose any of them, but gives
// out what was put under that key or nothing: what it gives out is believed.
type Store interface {
	Get(key string) ([]byte, bool)
	Put(key string, value []byte)
}

// A scheme is how a scanner writes layers down. Layers that were written in another
// scheme are not read: their probes, facts or limits differ.
type scheme struct {
	name  string
	facts []codec // by the scanner's readers
}

// schemeFormat changes with what encode writes.
const schemeFormat = 1

// newScheme fails if a fact is no plain data.
func newScheme(s *Scanner) (*scheme, error) {
	h := sha256.New()
	fmt.Fprintf(h, "%d %s %+v\n", schemeFormat, heads.shape+entries.shape, s.Limits)
	sc := &scheme{}
	for _, r := range s.readers {
		c, err := r.codec()
		if err != nil {
			return nil, fmt.Errorf("keeping the facts of %s: %w", r.ID(), err)
		}
		fmt.Fprintf(h, "%s %s\n", r.ID(), c.shape)
		sc.facts = append(sc.facts, c)
	}
	sc.name = digest(h)
	return sc, nil
}

// key is where the content of a layer is kept.
func (sc *scheme) key(digest string) string { return "layer " + digest + " " + sc.name }

// A head is what is kept of a layer but its entries.
type head struct {
	DiffID, Digest       string
	Stored, Uncompressed int64
	Compression          string
	Problems             []Problem
	events               int
}

var (
	heads   = mustCodec(reflect.TypeFor[head]())
	entries = mustCodec(reflect.TypeFor[Entry]())
)

func mustCodec(t reflect.Type) codec {
	c, err := codecOf(t)
	if err != nil {
		panic(err) // the types are our own
	}
	return c
}

// encode writes a layer down, which no image has used yet.
func (s *Scanner) encode(sc *scheme, c *Content) []byte {
	b := heads.put(nil, reflect.ValueOf(head{c.DiffID, c.Digest, c.Stored, c.Uncompressed, c.Compression, c.Problems, len(c.events)}))
	var e Entry
	at := reflect.ValueOf(&e).Elem()
	for _, ev := range c.events {
		b = appendText(append(b, byte(ev.kind)), ev.path)
		if ev.kind != add {
			continue
		}
		e = ev.file.Entry
		e.Path = "" // is that of the event
		b = entries.put(b, at)
		b = s.encodeFacts(b, sc, ev.file.facts)
	}
	return b
}

func (s *Scanner) encodeFacts(b []byte, sc *scheme, facts []fact) []byte {
	for i, r := range s.readers {
		for _, f := range facts {
			if f.by == r {
				b = sc.facts[i].put(append(b, byte((i+1)>>8), byte(i+1)), reflect.ValueOf(f.val))
			}
		}
	}
	return append(b, 0, 0)
}

// decode reads what encode wrote. It is not ok if anything is wrong with it.
func (s *Scanner) decode(sc *scheme, b []byte) (c *Content, ok bool) {
	r := &taker{rest: string(b)}
	h := heads.read(r).(head)
	if h.events < 0 || h.events > len(r.rest) {
		return nil, false
	}
	c = &Content{DiffID: h.DiffID, Digest: h.Digest, Stored: h.Stored, Uncompressed: h.Uncompressed, Compression: h.Compression, Problems: h.Problems}
	c.events = make([]event, h.events)
	files := make([]File, h.events)
	for i := range c.events {
		kind := r.next(1)
		if kind == "" {
			return nil, false
		}
		ev := event{kind: eventKind(kind[0]), path: r.string()}
		if ev.kind == add {
			ev.file = &files[i]
			entries.take(r, reflect.ValueOf(&ev.file.Entry).Elem())
			ev.file.Path = ev.path
			ev.file.facts = s.decodeFacts(r, sc)
		}
		c.events[i] = ev
	}
	return c, !r.bad && r.rest == ""
}

func (s *Scanner) decodeFacts(r *taker, sc *scheme) []fact {
	var facts []fact
	for {
		id := r.next(2)
		if id == "" || id == "\x00\x00" {
			return facts
		}
		i := (int(id[0])<<8 | int(id[1])) - 1
		if i >= len(sc.facts) {
			r.fail()
			return nil
		}
		facts = append(facts, fact{s.readers[i], sc.facts[i].read(r)})
	}
}
