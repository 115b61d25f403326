// Package cache keeps what audits learned, for later ones, in a directory that is
// no secret but to whom its key is. It promises that Get gives out what Put was given
// under that key and by the same generation of the program, or nothing: an entry
// that is damaged, of another make or of another directory is as good as absent.
// Many processes may use one directory at a time.
//
// Each entry is one file. It is sealed with AES-256-GCM (NIST SP 800-38D) under a key
// of its own, which is derived from the directory's key and the entry's (HKDF, RFC
// 5869); its name is an HMAC of the entry's key. So an entry shows its size and
// nothing else to whoever has not both.
package cache

import (
	"bytes"
	"cmp"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// A Cache is a directory with a key. It is safe for concurrent use.
type Cache struct {
	dir        *os.Root
	secret     []byte
	generation string
	max        int64 // bytes of all entries

	mu     sync.Mutex
	added  bool
	failed error // the first Put that did
}

// Open opens the cache in dir, which is made if it is not there. Entries are those of
// one generation: a text that changes with what the program makes of its inputs.
// Once closed, the cache holds at most max bytes.
//
// It fails if the directory or its key can't be made, or could be another user's.
func Open(dir, generation string, max int64) (*Cache, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the cache: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("opening the cache: %w", err)
	}
	secret, err := readSecret(root)
	if errors.Is(err, fs.ErrNotExist) {
		secret, err = makeSecret(root)
	}
	if err != nil {
		root.Close()
		return nil, fmt.Errorf("reading the key of the cache %s: %w", dir, err)
	}
	return &Cache{dir: root, secret: secret, generation: generation, max: max}, nil
}

const (
	secretFile  = "key"
	secretBytes = 32
	suffix      = ".entry" // so that nothing else is ever removed
	tempPrefix  = "tmp-"
)

var errNotOurs = errors.New("others could have made or read it; remove the directory, or name another")

// readSecret reads the key of the directory, if nobody else can know it: then nobody
// else made any of its entries.
func readSecret(root *os.Root) ([]byte, error) {
	f, info, err := openRegular(root, secretFile)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if !private(info) {
		return nil, errNotOurs
	}
	b, err := io.ReadAll(io.LimitReader(f, secretBytes+1))
	if err == nil && len(b) != secretBytes {
		err = errors.New("it is no key; remove the directory, or name another")
	}
	return b, err
}

func openRegular(root *os.Root, name string) (*os.File, fs.FileInfo, error) {
	if info, err := root.Lstat(name); err != nil {
		return nil, nil, err
	} else if !info.Mode().IsRegular() {
		return nil, nil, errNotOurs // opening a pipe would wait for its writer
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// makeSecret makes the key, unless another process is first.
func makeSecret(root *os.Root) ([]byte, error) {
	b := make([]byte, secretBytes)
	rand.Read(b) // never fails
	name, err := writeTemp(root, b)
	if err != nil {
		return nil, err
	}
	defer root.Remove(name) //nolint:errcheck // the next one that closes removes it
	if err := root.Link(name, secretFile); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return readSecret(root)
}

// writeTemp writes a file that no reader looks for.
func writeTemp(root *os.Root, b []byte) (name string, err error) {
	name = tempPrefix + rand.Text() + suffix
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	_, err = f.Write(b)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(err, root.Remove(name))
	}
	return name, nil
}

// An entry is where the value of a key is, and what opens it.
type entry struct {
	name string
	aead cipher.AEAD
}

// The first bytes of an entry. Another form gets another name for its entries.
const form = "sandbox-audit cache 1\n"

func (c *Cache) entry(key string) (entry, error) {
	key = fmt.Sprintf("%d %s %s", len(c.generation), c.generation, key)
	mac := hmac.New(sha256.New, c.secret)
	io.WriteString(mac, "name of "+form+key) //nolint:errcheck // a hash takes all
	secret, err := hkdf.Key(sha256.New, c.secret, nil, "key of "+form+key, 32)
	if err != nil {
		return entry{}, err
	}
	block, err := aes.NewCipher(secret)
	if err != nil {
		return entry{}, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	return entry{hex.EncodeToString(mac.Sum(nil)) + suffix, aead}, err
}

// Get returns what was put under key.
func (c *Cache) Get(key string) (value []byte, ok bool) {
	e, err := c.entry(key)
	if err != nil {
		return nil, false
	}
	f, info, err := openRegular(c.dir, e.name)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	if info.Size() > c.largest() {
		return nil, false
	}
	b := make([]byte, info.Size())
	if _, err := io.ReadFull(f, b); err != nil || !bytes.HasPrefix(b, []byte(form)) {
		return nil, false
	}
	value, err = e.aead.Open(nil, nil, b[len(form):], []byte(form+e.name))
	if err != nil {
		return nil, false
	}
	c.used(e.name, info)
	return value, true
}

// used keeps an entry that is in use from being the oldest.
func (c *Cache) used(name string, info fs.FileInfo) {
	if now := time.Now(); now.Sub(info.ModTime()) > time.Hour {
		_ = c.dir.Chtimes(name, now, now) // it may be another process's to remove by now
	}
}

// largest is the size up to which an entry is kept.
func (c *Cache) largest() int64 { return c.max / 4 }

// Put keeps value under key. What is too large is not kept; Close tells what went
// wrong.
func (c *Cache) Put(key string, value []byte) {
	err := c.put(key, value)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.added = true
	c.failed = cmp.Or(c.failed, err)
}

func (c *Cache) put(key string, value []byte) error {
	e, err := c.entry(key)
	if err != nil {
		return err
	}
	size := len(form) + len(value) + e.aead.Overhead()
	if int64(size) > c.largest() {
		return nil
	}
	b := append(make([]byte, 0, size), form...)
	name, err := writeTemp(c.dir, e.aead.Seal(b, nil, value, []byte(form+e.name)))
	if err != nil {
		return err
	}
	if err := c.dir.Rename(name, e.name); err != nil {
		return errors.Join(err, c.dir.Remove(name))
	}
	return nil
}

// Close removes the entries that were not used for the longest time, if there are too
// many bytes of them, and tells why something was not kept.
func (c *Cache) Close() error {
	err := c.failed
	if c.added {
		err = cmp.Or(err, c.trim())
	}
	if err = errors.Join(err, c.dir.Close()); err != nil {
		return fmt.Errorf("writing the cache: %w", err)
	}
	return nil
}

func (c *Cache) trim() error {
	dir, err := c.dir.Open(".")
	if err != nil {
		return err
	}
	defer dir.Close()
	files, err := dir.ReadDir(-1)
	if err != nil {
		return err
	}
	var entries []fs.FileInfo
	var total int64
	for _, f := range files {
		info, err := f.Info()
		switch {
		case err != nil || !info.Mode().IsRegular(): // gone, or none of ours
		case strings.HasPrefix(f.Name(), tempPrefix) && strings.HasSuffix(f.Name(), suffix):
			if time.Since(info.ModTime()) > time.Hour { // whoever wrote it is gone
				_ = c.dir.Remove(f.Name()) // or another process does
			}
		case strings.HasSuffix(f.Name(), suffix):
			entries = append(entries, info)
			total += info.Size()
		}
	}
	slices.SortFunc(entries, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, e := range entries {
		if total <= c.max {
			break
		}
		_ = c.dir.Remove(e.Name()) // or another process does
		total -= e.Size()
	}
	return nil
}
