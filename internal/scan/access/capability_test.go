package access_test

import (
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/access"
)

func TestParseCapabilities(t *testing.T) {
	for _, c := range []struct {
		name, value string
		want        string // permitted, those worth root, and what is odd; or the error
	}{
		{"revision 2, cap_net_raw=ep", "\x01\x00\x00\x02\x00\x20\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", "cap_net_raw | | effective"},
		{"revision 2, cap_setuid+p", "\x00\x00\x00\x02\x80\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", "cap_setuid | cap_setuid |"},
		{"revision 1", "\x01\x00\x00\x01\x03\x00\x00\x00\x00\x00\x00\x00", "cap_chown cap_dac_override | cap_chown cap_dac_override | effective"},
		{"revision 3", "\x01\x00\x00\x03\x00\x00\x20\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xe8\x03\x00\x00", "cap_sys_admin | cap_sys_admin | effective root 1000"},
		{"the upper word", "\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00\x81\x01\x00\x00\x00\x00\x00\x00", "cap_mac_override cap_bpf cap_checkpoint_restore | cap_mac_override cap_bpf cap_checkpoint_restore |"},
		{"inheritable only", "\x00\x00\x00\x02\x00\x00\x00\x00\x80\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", "| | inheritable"},
		{"without a name", "\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80\x00\x00\x00\x00", "capability 63 | |"},
		{"empty", "", "reading file capabilities: the value is shorter than its header"},
		{"cut", "\x01\x00\x00\x02\x00\x20", "reading file capabilities: revision 2 has 20 bytes, not 6"},
		{"too long", "\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00", "reading file capabilities: revision 1 has 12 bytes, not 13"},
		{"another revision", "\x01\x00\x00\x09\x00\x00\x00\x00", "reading file capabilities: revision 9 is unknown"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ""
			caps, err := access.ParseCapabilities(c.value)
			if err != nil {
				got = err.Error()
			} else {
				got = strings.Join(access.Names(caps.Permitted), " ") + " | " + strings.Join(caps.WorthRoot(), " ") + " |"
				if caps.Effective {
					got += " effective"
				}
				if caps.Root != 0 {
					got += " root 1000"
				}
				if caps.Inheritable != 0 {
					got += " inheritable"
				}
			}
			if got = strings.Join(strings.Fields(got), " "); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
