package leak

import (
	"crypto/sha256"
	"fmt"
)

// A digest tells equal values from others. It stays inside: nobody may try values
// against a bare hash, so no report shows it. It needs no key, because what was
// found in a layer is kept from run to run, encrypted, and compared with what is
// found in another.
type digest [sha256.Size]byte

// Format keeps a digest out of whatever is printed.
func (digest) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("(digest)")) }

func identify(value string) digest { return sha256.Sum256([]byte(value)) }
