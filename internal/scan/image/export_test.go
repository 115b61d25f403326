package image

import (
	"fmt"
	"reflect"
	"sync"
	"unsafe"
)

// A Memory is a Store that keeps all.
type Memory struct {
	mu     sync.Mutex
	values map[string][]byte
}

// Get implements Store.
func (m *Memory) Get(key string) ([]byte, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b, ok := m.values[key]
	return b, ok
}

// Put implements Store.
func (m *Memory) Put(key string, value []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.values == nil {
		m.values = map[string][]byte{}
	}
	m.values[key] = value
}

// Len is how many values it keeps.
func (m *Memory) Len() int { return len(m.values) }

// RoundTrip writes a fact of the reader's type down, in which nothing is zero, and
// reads it back.
func RoundTrip(r Reader) error {
	c, err := r.codec()
	if err != nil {
		return err
	}
	want := reflect.New(c.of).Elem()
	fillAll(want, new(int))
	from := &taker{rest: string(c.put(nil, want))}
	if got := c.read(from); from.bad || from.rest != "" || !reflect.DeepEqual(got, want.Interface()) {
		return fmt.Errorf("%+v became %+v", want, got)
	}
	return nil
}

// Facts are what the probes kept of f, by their IDs.
func (f *File) Facts() map[string]any {
	facts := map[string]any{}
	for _, x := range f.facts {
		facts[x.by.ID()] = x.val
	}
	return facts
}

// fillAll sets everything in v to something else than zero and all that was set before.
func fillAll(v reflect.Value, n *int) {
	*n++
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(*n % 100))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(*n % 100))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(float64(*n))
	case reflect.String:
		v.SetString(fmt.Sprint("text ", *n))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			fillAll(v.Index(i), n)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range 2 {
			key, elem := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			fillAll(key, n)
			fillAll(elem, n)
			v.SetMapIndex(key, elem)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fillAll(v.Elem(), n)
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Field(i)
			fillAll(reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem(), n)
		}
	}
}
