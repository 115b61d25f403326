package leak

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestStores reads the files that programs keep credentials or settings in. $ stands
// for a random value.
func TestStores(t *testing.T) {
	m := maker{rand.New(rand.NewPCG(7, 8))}
	value := m.of(base62, 30)
	for _, c := range []struct{ path, text, want string }{
		{"/root/.git-credentials", "https://ci:$@git.corp.test\n", "URL with a password:1"},
		{"/src/.git/config", "[remote \"o\"]\n\turl = https://ci:$@git.corp.test/a.git\n", "url:2"},
		{"/root/.netrc", "machine a login b password $\n", "password:1"},
		{"/root/.npmrc", "//r.corp.test/:_authToken=$\n", "_authToken:1"},
		{"/root/.npmrc", "_auth = $\n", "_auth:1"},
		{"/root/.npmrc", "//r.corp.test/:_authToken=${NPM_TOKEN}\n", ""},
		{"/root/.pypirc", "[pypi]\npassword: $\n", "password:2"},
		{"/root/.kube/config", "users:\n- user:\n    token: $\n", "token:3"},
		{"/root/.aws/credentials", "aws_secret_access_key=$AAAAAAAAAA\n", "aws_secret_access_key:1"},
		{"/root/.config/gcloud/adc.json", `{"refresh_token": "$"}`, "refresh_token:1"},
		{"/root/.pgpass", "# x\nh:5432:d:u:$\n", "password:2"},
		{"/root/.pgpass", "h:5432:d:u:postgres\n", "password:1 default"},
		{"/root/.vault-token", "$\n", "token:1"},
		{"/root/.m2/settings.xml", "<server>\n <password>$</password></server>", "password:2"},
		{"/app/NuGet.Config", `<add key="ClearTextPassword" value="$" />`, "ClearTextPassword:1"},
		{"/app/.env", "A=1\nexport DB_PASS='$'\n", "DB_PASS:2"},
		{"/app/.env.production", "API_KEY=$ # of the shop\n", "API_KEY:1"},
		{"/app/.env", "NEXT_TELEMETRY_DISABLED=1\nAPI_KEY=<your-key>\n", ""},
		{"/app/settings.py", "SECRET_KEY = '$'\n", "SECRET_KEY:1"},
		{"/app/settings.py", "SECRET_KEY = os.environ['$']\ntoken = get_token(request)\n", ""},
		{"/www/wp-config.php", "define( 'AUTH_KEY', '$' );\n", "AUTH_KEY:1"},
		{"/app/config.json", `{"db": {"password": "$"}}`, "password:1"},
		{"/app/other.py", "SECRET_KEY = '$'\n", ""},
		{"/app/app.yaml", "password: \"$\"\n", "password:1"},
		{"/app/app.yaml", "instance_types_file_key: plain\npassword: {{ x }}\n", ""}, // D39
		{"/etc/nsswitch.conf", "passwd:         files\n", ""},
		{"/app/seed.sql", "ALTER USER a PASSWORD '$';", "password:1"},
		{"/root/.bash_history", "ls\nmysql -p$ app\n", "password:2"},
		{"/root/.zsh_history", ": 17:0;export API_TOKEN=$\n", "API_TOKEN:1"},
		{"/app/package-lock.json", `{"token": "$"}`, ""},
		{"/app/config.yaml", "\x00password: $\n", ""},
	} {
		var s sink
		s.store(c.path, strings.ReplaceAll(c.text, "$", value))
		if strings.Contains(c.text, "${") {
			s = sink{}
			s.store(c.path, c.text)
		}
		var got []string
		for _, k := range s.kept {
			name := k.Name
			if name == "" {
				name = k.Kind
			}
			name = fmt.Sprintf("%s:%d", name, k.Line)
			if k.Default {
				name += " default"
			}
			if k.Confidence > 1 || k.Default {
				got = append(got, name)
			}
		}
		if g := strings.Join(got, " "); g != c.want {
			t.Errorf("%s: %q: got %q, want %q", c.path, c.text, g, c.want)
		}
	}
}

// TestInCommand reads command lines. $ stands for a random value.
func TestInCommand(t *testing.T) {
	m := maker{rand.New(rand.NewPCG(9, 10))}
	value := m.of(base62, 24)
	for _, c := range []struct {
		text string
		n    int
	}{
		{"curl -H 'Authorization: Bearer $' https://x", 1},
		{"curl -H \"X-Api-Key: $\" https://x", 1},
		{"curl -u ci:$ https://x", 1},
		{"curl --user ci:$ https://x && true", 1},
		{"sudo -u root mysql --password $", 1},
		{"mysqldump -p$ app > dump.sql", 1},
		{"docker login -u ci -p $ r.corp.test", 1},
		{"wandb login $", 1},
		{"aws configure set aws_secret_access_key $", 1},
		{"npm config set //r.corp.test/:_authToken=$", 1},
		{"echo $ > /root/.vault-token", 1},
		{"printf %s $ >> ~/.api_key", 1},
		{"git clone https://ci:$@git.corp.test/a", 1},
		{"export A_TOKEN=$; export B_TOKEN=$", 1}, // one value
		{"sh -c 'mysql --password=$'", 1},
		{"if then", 0},
		{"mysql -p \"${DB}\" --password-file /run/$", 0},
		{"apt-key adv --recv-keys A035C8C19219BA821ECEA86B64E628F8D684696D", 0},
		{"apk add libcrypto3=3.1.4-r1 && pip install keyring==24.0", 0}, // D27
		{"echo \"access.log = /proc/self/fd/2\" >> /etc/php.conf", 0},   // D28
		{"docker login -u ci --password-stdin < /run/secrets/r", 0},
		{"echo done > /tmp/token.log && npm run set token", 0},
	} {
		text := c.text
		if !strings.Contains(text, "${") {
			text = strings.ReplaceAll(text, "$", value)
		}
		if got := InCommand(text); len(got) != c.n {
			t.Errorf("%s: found %d, want %d", c.text, len(got), c.n)
		}
	}
}

func FuzzContent(f *testing.F) {
	f.Add("/a/.env", []byte("A=b\nPASSWORD=\"x"))
	f.Add("/a/x.whl", []byte("PK\x03\x04"))
	f.Add("/a/x.tar.gz", []byte("\x1f\x8b\x08"))
	f.Add("/a/x.pyc", []byte("\xcb\x0d\x0d\x0a"))
	f.Add("/root/.bash_history", []byte("mysql -p$(x)\n: 1:0;env > \"$X\"\n"))
	f.Fuzz(func(t *testing.T, p string, b []byte) {
		var s sink
		s.file("/"+p, b)
		a := archive{left: 1 << 20, members: 100, dir: "/" + p}
		a.zip(b)
		a.gzip(b)
		Dumped(string(b))
		for _, k := range append(s.kept, a.kept...) {
			if k.Kind == "" || k.Line < 0 || k.Line > 1+strings.Count(string(b), "\n") && k.Member == "" {
				t.Errorf("%+v", k)
			}
		}
	})
}
