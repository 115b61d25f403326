package access

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

// CapabilityXattr is the attribute that gives a program capabilities.
const CapabilityXattr = "security.capability"

// Capabilities are what a program is given when anyone executes it (capabilities(7),
// "File capabilities").
type Capabilities struct {
	Permitted   uint64 // one bit for each capability, by its number
	Inheritable uint64 // gained only by those who hold them as inheritable already
	Effective   bool   // the permitted ones are in force at once
	// Root is the uid that must be root of the user namespace for them to count:
	// 0 without user namespaces.
	Root uint32
}

// The revisions of struct vfs_cap_data and their lengths (linux/capability.h).
const (
	revision1 = 0x01000000
	revision2 = 0x02000000
	revision3 = 0x03000000

	effective = 0x000001
)

// ParseCapabilities reads the value of the attribute in any of its three revisions.
// It fails on another one or another length: the kernel then gives nothing.
func ParseCapabilities(value string) (Capabilities, error) {
	b := []byte(value)
	if len(b) < 4 {
		return Capabilities{}, errors.New("reading file capabilities: the value is shorter than its header")
	}
	magic := binary.LittleEndian.Uint32(b)
	revision := magic & 0xff000000
	length := map[uint32]int{revision1: 12, revision2: 20, revision3: 24}[revision]
	switch {
	case length == 0:
		return Capabilities{}, fmt.Errorf("reading file capabilities: revision %d is unknown", revision>>24)
	case len(b) != length:
		return Capabilities{}, fmt.Errorf("reading file capabilities: revision %d has %d bytes, not %d", revision>>24, length, len(b))
	}
	word := func(i int) uint64 { return uint64(binary.LittleEndian.Uint32(b[4*i:])) }
	c := Capabilities{Permitted: word(1), Inheritable: word(2), Effective: magic&effective != 0}
	if revision != revision1 {
		c.Permitted |= word(3) << 32
		c.Inheritable |= word(4) << 32
	}
	if revision == revision3 {
		c.Root = uint32(word(5))
	}
	return c, nil
}

// capabilities are the names by number (linux/capability.h).
var capabilities = strings.Fields(`
	cap_chown cap_dac_override cap_dac_read_search cap_fowner cap_fsetid cap_kill cap_setgid cap_setuid
	cap_setpcap cap_linux_immutable cap_net_bind_service cap_net_broadcast cap_net_admin cap_net_raw cap_ipc_lock cap_ipc_owner
	cap_sys_module cap_sys_rawio cap_sys_chroot cap_sys_ptrace cap_sys_pacct cap_sys_admin cap_sys_boot cap_sys_nice
	cap_sys_resource cap_sys_time cap_sys_tty_config cap_mknod cap_lease cap_audit_write cap_audit_control cap_setfcap
	cap_mac_override cap_mac_admin cap_syslog cap_wake_alarm cap_block_suspend cap_audit_read cap_perfmon cap_bpf
	cap_checkpoint_restore`)

// worthRoot are the capabilities with which a process becomes root, reads or writes
// what only root may, or takes over the host (capabilities(7)).
var worthRoot = func() map[string]bool {
	m := map[string]bool{}
	for _, name := range strings.Fields(`
		cap_chown cap_dac_override cap_dac_read_search cap_fowner cap_setgid cap_setuid cap_setpcap cap_net_admin
		cap_sys_module cap_sys_rawio cap_sys_chroot cap_sys_ptrace cap_sys_admin cap_sys_boot cap_mknod cap_setfcap
		cap_mac_override cap_mac_admin cap_linux_immutable cap_bpf cap_perfmon cap_checkpoint_restore cap_syslog`) {
		m[name] = true
	}
	return m
}()

// Names returns the capabilities of a set, by number. One that has no name yet is
// called by its number.
func Names(set uint64) []string {
	var out []string
	for i := range 64 {
		switch {
		case set&(1<<i) == 0:
		case i < len(capabilities):
			out = append(out, capabilities[i])
		default:
			out = append(out, fmt.Sprintf("capability %d", i))
		}
	}
	return out
}

// WorthRoot returns those permitted capabilities that give root away.
func (c Capabilities) WorthRoot() []string {
	var out []string
	for _, name := range Names(c.Permitted) {
		if worthRoot[name] {
			out = append(out, name)
		}
	}
	return out
}
