package accounts

import "testing"

func TestChanges(t *testing.T) {
	for command, want := range map[string]bool{
		`useradd -m agent`:                      true,
		`sudo /usr/sbin/usermod -aG sudo x`:     true,
		`["chmod", "u+s", "/bin/find"]`:         true,
		`["echo", "chmod 4755 /bin/find"]`:      false,
		`chmod 4755 /bin/find`:                  true,
		`chmod "0777" /app`:                     true,
		`chmod u=rwxs,g+rx /bin/x`:              true,
		`chmod 0755 /app/2777`:                  false,
		`chmod a+rx /app`:                       false,
		`echo x > /etc/passwd`:                  true,
		`echo "$L" | tee -a /etc/sudoers.d/x`:   true,
		`cat < /etc/passwd`:                     false,
		`sed -i s/a/b/ /etc/group`:              true,
		`sed s/a/b/ /etc/group`:                 false,
		`if x; then (cd /etc; cp s shadow); fi`: true,
		`echo "useradd x" # useradd y`:          false,
		`ls /usr/sbin/useradd`:                  false,
		`install -m 0440 a /etc/sudoers.d/a`:    true,
		`install -m 0440 a /opt/sudoers-notes`:  false,
		`'unclosed`:                             false,
		``:                                      false,
	} {
		if got := Changes(command); got != want {
			t.Errorf("Changes(%q) = %v, want %v", command, got, want)
		}
	}
}
