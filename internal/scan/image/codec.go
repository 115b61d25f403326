package image

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"unsafe"
)

// A codec writes values of one type as bytes and reads them back, all their fields
// whether exported or not: whoever adds a fact or a field need not think of it.
type codec struct {
	of    reflect.Type
	shape string // what the bytes depend on: names and types of all fields
	put   func([]byte, reflect.Value) []byte
	take  func(*taker, reflect.Value)
}

// codecOf makes the codec of t. It fails on types whose values can't be told from
// their bytes alone: interfaces, functions, channels, and types that hold themselves.
func codecOf(t reflect.Type) (codec, error) {
	c, err := codecIn(t, nil)
	c.of = t
	return c, err
}

// read takes one value.
func (c codec) read(r *taker) any {
	v := reflect.New(c.of).Elem()
	c.take(r, v)
	return v.Interface()
}

func codecIn(t reflect.Type, around []reflect.Type) (c codec, err error) {
	if slices.Contains(around, t) {
		return c, fmt.Errorf("%s holds itself", t)
	}
	around = append(around[:len(around):len(around)], t)
	switch t.Kind() {
	case reflect.Bool:
		c = codec{put: putBool, take: func(r *taker, v reflect.Value) { v.SetBool(r.count() == 1) }}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		c = codec{put: putInt, take: func(r *taker, v reflect.Value) { v.SetInt(r.int()) }}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		c = codec{put: putUint, take: func(r *taker, v reflect.Value) { v.SetUint(r.uint()) }}
	case reflect.Float32, reflect.Float64:
		c = codec{put: putFloat, take: func(r *taker, v reflect.Value) { v.SetFloat(math.Float64frombits(r.uint())) }}
	case reflect.String:
		c = codec{put: putString, take: func(r *taker, v reflect.Value) { v.SetString(r.string()) }}
	case reflect.Slice:
		return sliceCodec(t, around)
	case reflect.Array:
		return arrayCodec(t, around)
	case reflect.Map:
		return mapCodec(t, around)
	case reflect.Pointer:
		return pointerCodec(t, around)
	case reflect.Struct:
		return structCodec(t, around)
	default:
		return c, fmt.Errorf("%s is no type of plain data", t)
	}
	c.shape = t.Kind().String()
	return c, nil
}

func putBool(b []byte, v reflect.Value) []byte {
	if v.Bool() {
		return append(b, 1)
	}
	return append(b, 0)
}

func putInt(b []byte, v reflect.Value) []byte { return binary.AppendVarint(b, v.Int()) }

func putUint(b []byte, v reflect.Value) []byte { return binary.AppendUvarint(b, v.Uint()) }

func putFloat(b []byte, v reflect.Value) []byte {
	return binary.AppendUvarint(b, math.Float64bits(v.Float()))
}

func putString(b []byte, v reflect.Value) []byte { return appendText(b, v.String()) }

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// putLen writes the length of a slice or map, telling none from an empty one.
func putLen(b []byte, v reflect.Value) []byte {
	if v.IsNil() {
		return append(b, 0)
	}
	return binary.AppendUvarint(b, uint64(v.Len())+1)
}

func sliceCodec(t reflect.Type, around []reflect.Type) (codec, error) {
	if t.Elem().Kind() == reflect.Uint8 {
		return bytesCodec, nil
	}
	elem, err := codecIn(t.Elem(), around)
	return codec{
		shape: "[]" + elem.shape,
		put: func(b []byte, v reflect.Value) []byte {
			b = putLen(b, v)
			for i := range v.Len() {
				b = elem.put(b, v.Index(i))
			}
			return b
		},
		take: func(r *taker, v reflect.Value) {
			n := r.length()
			if n < 0 {
				return
			}
			s := reflect.MakeSlice(t, n, n)
			for i := range n {
				elem.take(r, s.Index(i))
			}
			v.Set(s)
		},
	}, err
}

// bytesCodec is that of byte slices, which hold most of what facts hold.
var bytesCodec = codec{
	shape: "bytes",
	put:   func(b []byte, v reflect.Value) []byte { return append(putLen(b, v), v.Bytes()...) },
	take: func(r *taker, v reflect.Value) {
		if n := r.length(); n >= 0 {
			v.SetBytes([]byte(r.next(n)))
		}
	},
}

func arrayCodec(t reflect.Type, around []reflect.Type) (codec, error) {
	elem, err := codecIn(t.Elem(), around)
	return codec{
		shape: fmt.Sprintf("[%d]%s", t.Len(), elem.shape),
		put: func(b []byte, v reflect.Value) []byte {
			for i := range v.Len() {
				b = elem.put(b, v.Index(i))
			}
			return b
		},
		take: func(r *taker, v reflect.Value) {
			for i := range v.Len() {
				elem.take(r, v.Index(i))
			}
		},
	}, err
}

func mapCodec(t reflect.Type, around []reflect.Type) (codec, error) {
	key, kerr := codecIn(t.Key(), around)
	elem, eerr := codecIn(t.Elem(), around)
	return codec{
		shape: fmt.Sprintf("map[%s]%s", key.shape, elem.shape),
		put: func(b []byte, v reflect.Value) []byte {
			var pairs []string // sorted: what is equal is stored equal
			for i := v.MapRange(); i.Next(); {
				pairs = append(pairs, string(elem.put(key.put(nil, i.Key()), i.Value())))
			}
			slices.Sort(pairs)
			b = putLen(b, v)
			for _, p := range pairs {
				b = append(b, p...)
			}
			return b
		},
		take: func(r *taker, v reflect.Value) {
			n := r.length()
			if n < 0 {
				return
			}
			m := reflect.MakeMapWithSize(t, n)
			for range n {
				k, e := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
				key.take(r, k)
				elem.take(r, e)
				m.SetMapIndex(k, e)
			}
			v.Set(m)
		},
	}, errors.Join(kerr, eerr)
}

func pointerCodec(t reflect.Type, around []reflect.Type) (codec, error) {
	elem, err := codecIn(t.Elem(), around)
	return codec{
		shape: "*" + elem.shape,
		put: func(b []byte, v reflect.Value) []byte {
			if v.IsNil() {
				return append(b, 0)
			}
			return elem.put(append(b, 1), v.Elem())
		},
		take: func(r *taker, v reflect.Value) {
			if r.count() != 1 {
				return
			}
			p := reflect.New(t.Elem())
			elem.take(r, p.Elem())
			v.Set(p)
		},
	}, err
}

func structCodec(t reflect.Type, around []reflect.Type) (codec, error) {
	var fields []codec
	c := codec{shape: "{"}
	for f := range t.Fields() {
		field, err := codecIn(f.Type, around)
		if err != nil {
			return c, fmt.Errorf("%s of %w", f.Name, err)
		}
		fields = append(fields, field)
		c.shape += f.Name + " " + field.shape + ";"
	}
	c.shape += "}"
	c.put = func(b []byte, v reflect.Value) []byte {
		for i, f := range fields {
			b = f.put(b, v.Field(i))
		}
		return b
	}
	c.take = func(r *taker, v reflect.Value) {
		for i, f := range fields {
			field := v.Field(i)
			if !field.CanSet() { // reflect keeps fields that are not exported from being set
				field = reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem() //nolint:gosec // it is addressable, and of that type
			}
			f.take(r, field)
		}
	}
	return c, nil
}

// A taker reads what codecs wrote. What is not there is zero, and ends the reading.
type taker struct {
	rest string
	bad  bool
}

func (r *taker) fail() { r.rest, r.bad = "", true }

func (r *taker) uint() uint64 {
	var n uint64
	for shift := 0; shift < 64; shift += 7 {
		if r.rest == "" {
			break
		}
		c := r.rest[0]
		r.rest = r.rest[1:]
		n |= uint64(c&0x7f) << shift
		if c < 0x80 {
			return n
		}
	}
	r.fail()
	return 0
}

func (r *taker) int() int64 {
	n := r.uint()
	return int64(n>>1) ^ -int64(n&1)
}

// count is a number of things that take a byte each, or a choice.
func (r *taker) count() int {
	n := r.uint()
	if n > uint64(len(r.rest))+1 {
		r.fail()
		return 0
	}
	return int(n)
}

// length is that of a slice or map, or -1 for none.
func (r *taker) length() int { return r.count() - 1 }

// string aliases what is read: a layer's texts stay in memory together.
func (r *taker) string() string { return r.next(r.count()) }

func (r *taker) next(n int) string {
	if n > len(r.rest) {
		r.fail()
		return ""
	}
	s := r.rest[:n]
	r.rest = r.rest[n:]
	return s
}
