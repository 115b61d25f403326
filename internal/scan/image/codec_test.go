package image

import (
	"math"
	"reflect"
	"strings"
	"testing"
)

type plain struct {
	Flag     bool
	small    int8
	Large    uint64
	real     float64
	Text     string
	raw      []byte
	names    []string
	pair     [2]int
	byName   map[string]inner
	optional *inner
	none     []string
	empty    []string
	noMap    map[int]bool
	zeroMap  map[int]bool
	nowhere  *inner
}

type inner struct{ a, b int }

func TestCodecKeepsEveryField(t *testing.T) {
	want := plain{
		true, -128, math.MaxUint64, math.Inf(-1), "a\x00ü\xff", []byte{0, 255}, []string{"", "b"}, [2]int{-1, math.MinInt64},
		map[string]inner{"x": {1, 2}, "": {}}, &inner{3, 4}, nil, []string{}, nil, map[int]bool{}, nil,
	}
	c, err := codecOf(reflect.TypeFor[plain]())
	if err != nil {
		t.Fatal(err)
	}
	b := c.put(nil, reflect.ValueOf(want))
	r := &taker{rest: string(b)}
	if got := c.read(r).(plain); r.bad || r.rest != "" || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v (%t, %q left)\nwant %+v", got, r.bad, r.rest, want)
	}
	for range 20 { // a map has no order, what is written has
		if again := c.put(nil, reflect.ValueOf(want)); string(again) != string(b) {
			t.Fatal("the same value is written in two ways")
		}
	}
	for n := range b {
		if r := (&taker{rest: string(b[:n])}); c.read(r) != nil && !r.bad {
			t.Errorf("cut at %d: not noticed", n)
		}
	}
}

func TestCodecRefuses(t *testing.T) {
	type list struct{ Next *list }
	for want, v := range map[string]any{
		"x of interface {}": struct{ x any }{},
		"f of func()":       struct{ f func() }{},
		"holds itself":      list{},
		"m of a of chan int": struct {
			m map[string]struct{ a chan int }
		}{},
	} {
		if _, err := codecOf(reflect.TypeOf(v)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%T: got %v, want %q", v, err, want)
		}
	}
}

// The shape tells types apart that bytes can't.
func TestCodecShape(t *testing.T) {
	shapes := map[string]any{}
	for _, v := range []any{
		struct{ a, b int }{}, struct{ b, a int }{}, struct{ a int }{}, struct{ a int8 }{}, struct{ a []int }{}, struct{ a [1]int }{},
		struct{ a *int }{}, struct{ a map[int]int }{}, struct{ a string }{}, struct{ a []byte }{}, struct{ a struct{ a int } }{},
	} {
		c, err := codecOf(reflect.TypeOf(v))
		if err != nil {
			t.Fatal(err)
		}
		if old, there := shapes[c.shape]; there {
			t.Errorf("%T and %T have the shape %s", old, v, c.shape)
		}
		shapes[c.shape] = v
	}
}
