package secret

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// An ID stands for a value: equal values have equal IDs under one Key, and without
// the key nobody can try values against it, as they could against a bare hash.
type ID [sha256.Size]byte

// String is the ID as reports and lists of what is allowed write it.
func (id ID) String() string { return hex.EncodeToString(id[:]) }

// A Key makes IDs. It never prints itself.
type Key struct{ bytes [sha256.Size]byte }

// shortestKey is what a configured key has at least, in bytes: half the strength of
// the hash, which is more than can be tried.
const shortestKey = 16

// NewKey returns a random key: its IDs mean nothing outside this run.
func NewKey() Key {
	var k Key
	_, _ = rand.Read(k.bytes[:]) // never fails (crypto/rand)
	return k
}

// ConfiguredKey returns the key for a secret of the user's, so that IDs of several
// runs can be compared. It is an error if the secret is shorter than 16 bytes.
func ConfiguredKey(secret []byte) (Key, error) {
	if len(secret) < shortestKey {
		return Key{}, fmt.Errorf("reading the key for identities: %d bytes are too few, at least %d random ones are needed", len(secret), shortestKey)
	}
	return Key{sha256.Sum256(secret)}, nil
}

// ID returns the identity of a value: HMAC-SHA-256 (RFC 2104).
func (k Key) ID(value string) (id ID) {
	mac := hmac.New(sha256.New, k.bytes[:])
	_, _ = mac.Write([]byte(value)) // never fails (hash.Hash)
	mac.Sum(id[:0])
	return id
}

// Format writes a word in the key's place, whatever the verb.
func (Key) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("(key)")) }
