package network

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/commands"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

func TestListening(t *testing.T) {
	env := map[string]string{"OLLAMA_HOST": "0.0.0.0:11434", "UVICORN_HOST": ""}
	getenv := func(name string) (string, bool) { v, ok := env[name]; return v, ok }
	for _, tt := range []struct {
		argv, address string
		port          int
	}{
		{"uvicorn app:app", here, 8000},
		{"uvicorn app:app --host 0.0.0.0 --port 80", everywhere, 80},
		{"/usr/bin/python3 -m uvicorn app:app --host=::", "::", 8000},
		{"gunicorn -b :8000 app", everywhere, 8000},
		{"gunicorn --bind=unix:/run/g.sock app", "", 0},
		{"gunicorn -b 0.0.0.0:$PORT app", everywhere, 0},
		{"python3 -u -m http.server 9000", everywhere, 9000},
		{"python3 -m http.server --bind 127.0.0.1", here, 8000},
		{"flask run -h 0.0.0.0 -p 80", everywhere, 80},
		{"ollama serve", everywhere, 11434},
		{"jupyter lab --ip=* --port=1", "*", 1},
		{"sshd -D -p 2222", everywhere, 2222},
		{"Xvnc :1 -localhost", here, 5900},
		{"Xtigervnc :1 -localhost=0", everywhere, 5900},
		{"python -m debugpy --listen 0.0.0.0:5678 app.py", everywhere, 5678},
		{"python -m debugpy --listen 5678 app.py", here, 5678},
		{"node --inspect app.js", here, 9229},
		{"node --inspect=0.0.0.0:9229 app.js", everywhere, 9229},
		{"chromium --remote-debugging-port=9222", here, 9222},
		{"chromium --remote-debugging-port=0 --remote-debugging-address=0.0.0.0", everywhere, 0},
		{"socat TCP4-LISTEN:80,fork TCP:x:1", everywhere, 80},
		{"socat TCP-LISTEN:80,bind=127.0.0.1 TCP:x:1", here, 80},
		{"socat UNIX-LISTEN:/s TCP:x:1", "none", 0},
		{"websockify 127.0.0.1:6080 localhost:5900", here, 6080},
		{"websockify --web /n 6081 localhost:5900", everywhere, 6081},
		{"java -agentlib:jdwp=transport=dt_socket,server=y,address=*:5005 -jar x", "*", 5005},
		{"java -agentlib:jdwp=transport=dt_socket,server=y,address=5005 -jar x", here, 5005},
		{"java -agentlib:jdwp=transport=dt_socket,server=n,address=*:5005 -jar x", "none", 0},
		{"dockerd -H tcp://0.0.0.0:2375", everywhere, 2375},
		{"agentd --host 0.0.0.0", everywhere, 0},
		{"agentd --bind [::]:80", "::", 80},
		{"agentd --host api.corp.net", "none", 0},
		{"node app.js", "none", 0},
		{"chromium about:blank", "none", 0},
		{"echo 0.0.0.0", "none", 0},
		{"", "none", 0},
	} {
		l, ok := Listening(strings.Fields(tt.argv), getenv)
		if !ok {
			l.Address = "none"
		}
		if l.Address != tt.address || l.Port != tt.port {
			t.Errorf("%s: listens on %q, port %d; want %q, port %d", tt.argv, l.Address, l.Port, tt.address, tt.port)
		}
	}
}

func TestCommandOff(t *testing.T) {
	for _, tt := range []struct{ command, want string }{
		{"curl -sSfLk https://x.net", "curl -k"},
		{"curl --data k --insecure x.net", "curl --insecure"},
		{"curl -o k https://x.net", ""},
		{"curl -Hk https://x.net", ""},
		{"curl -k https://localhost/ https://x.net", "curl -k"},
		{"curl -k 127.0.0.1:8443", ""},
		{"python -c --trusted-host", ""},
		{"python -m pip install --trusted-host x.net y", "python --trusted-host"},
		{"pip3.12 config set global.trusted-host x.net", "pip3.12 config set global.trusted-host"},
		{"npm install --strict-ssl=false", "npm --strict-ssl=false"},
		{"npm config set strict-ssl=false", "npm config set strict-ssl=false"},
		{"npm install strict-ssl", ""},
		{"git -c http.https://u:p@x.net/.sslVerify=false fetch", "git -c http.sslVerify=false"},
		{"git config --system http.https://x.net.sslVerify false", "git config --system http.sslVerify false"},
		{"kubectl --insecure-skip-tls-verify get po", "kubectl --insecure-skip-tls-verify"},
		{"kubectl --insecure-skip-tls-verify=false get po", ""},
		{"skopeo copy --src-tls-verify=false a b", "skopeo --src-tls-verify=false"},
	} {
		c := commands.Parse(tt.command).Commands()[0]
		if got := CommandOff(c); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.command, got, tt.want)
		}
	}
}

func TestCleartext(t *testing.T) {
	session := []string{"CP"}
	for _, tt := range []struct{ name, value, want string }{
		{"CP", "http://cp:80/x", "cp:80"},
		{"CP", "http://u:p@cp.net/x", "cp.net"},
		{"CP", "https://cp", ""},
		{"CP", "cp:80", ""},
		{"CP", "http://${HOST}/", ""},
		{"CP", "http://<host>/", ""},
		{"openaiBaseUrl", "http://llm.net", "llm.net"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://otel:4318", "otel:4318"},
		{"--api-url", "HTTP://10.0.0.1", "10.0.0.1"},
		{"BASE_URL", "http://x.net", ""},
		{"API_KEY", "http://x.net", ""},
		{"APIARY_URL", "http://x.net", ""},
		{"API_URL", "http://[::1]:80", ""},
		{"API_URL", "http://your-api-host", ""},
	} {
		if got := Cleartext(tt.name, tt.value, session); got != tt.want {
			t.Errorf("%s=%s: got %q, want %q", tt.name, tt.value, got, tt.want)
		}
	}
}

func TestFirewallHoles(t *testing.T) {
	for _, tt := range []struct{ script, want string }{
		{"iptables -P OUTPUT DROP\niptables -A OUTPUT -p udp --dport 53 -j ACCEPT", "2 DNS to any server"},
		{"for p in 53 22; do iptables -A OUTPUT -p tcp --dport $p -j ACCEPT; done; iptables -A OUTPUT -j DROP", "1 a port that is a variable, to any address"},
		{"sudo iptables -P OUTPUT DROP; sudo iptables -I OUTPUT 1 -p icmp -j ACCEPT", "1 ICMP to any address"},
		{"iptables -P OUTPUT DROP; iptables -A OUTPUT ! -d 10.0.0.0/8 -j ACCEPT", ""},
		{"iptables -P OUTPUT DROP; iptables -A OUTPUT -d 0.0.0.0/0 -j ACCEPT", "1 everything to any address"},
		{"iptables -P OUTPUT DROP; iptables -A OUTPUT -m state --state NEW,ESTABLISHED -j ACCEPT", "1 everything to any address"},
		{"iptables -P OUTPUT ACCEPT; iptables -A OUTPUT -p udp --dport 53 -j ACCEPT", ""},
		{"D=$(dig +short cp.net); iptables -P OUTPUT DROP; iptables -A OUTPUT -d \"$D\" -j ACCEPT", ""},
		{"G=$(ip -4 route show default | awk '{print $3}'); iptables -P OUTPUT DROP; iptables -A OUTPUT -d ${G}/24 -j ACCEPT", "1 every port of the host and its network"},
		{"G=$(ip route); iptables -P OUTPUT DROP; iptables -A OUTPUT -d $G -p tcp --dport 8080 -j ACCEPT", ""},
		{"A=$(echo $(ip route)); B=$(x $(y $A)); iptables -P OUTPUT DROP; iptables -A OUTPUT -d $B -j ACCEPT", "1 every port of the host and its network"},
		{"iptables -A X ! -o lo -j DROP\niptables -A OUTPUT -m owner --uid-owner a -j X\n" +
			"iptables -A OUTPUT -m owner --uid-owner b -p tcp -j ACCEPT\niptables -A OUTPUT -m owner --uid-owner b -j X", "3 all of TCP to any address"},
	} {
		var w wall
		w.script(tt.script)
		f, _ := w.judge()
		var got []string
		for _, h := range f.Holes {
			got = append(got, string(rune('0'+h.Line))+" "+h.To)
		}
		if strings.Join(got, "; ") != tt.want {
			t.Errorf("%s\ngot %q, want %q", tt.script, got, tt.want)
		}
	}
}

// What chains and runners that lead to each other may cost is bounded, however long they
// are; what would have come behind is not known.
func TestLongWays(t *testing.T) {
	long := strings.Repeat("a ", 10_000)
	for _, tt := range []struct {
		jumps int
		want  string
	}{{10, "DNS to any server"}, {300, ""}} {
		var w wall
		w.nft.read("table inet f {\nchain o { type filter hook output priority 0; policy drop;\n"+strings.Repeat("jump a\n", tt.jumps)+
			"udp dport 53 accept\n}\nchain a {\n"+long+"\n}\n}\n", 1)
		f, _ := w.judge()
		got := ""
		for _, h := range f.Holes {
			got += h.To
		}
		if got != tt.want {
			t.Errorf("behind %d jumps: got %q, want %q", tt.jumps, got, tt.want)
		}
	}
	var w wall
	w.script(strings.Repeat(strings.Repeat("a=$(b=1; ", 150)+"x"+strings.Repeat(")", 150)+"\n", 100))
	for runners, want := range map[int]string{maxRunners: "sshd", maxRunners + 1: "npx", 50_000: "npx"} {
		if got, _ := called(strings.Fields(strings.Repeat("npx ", runners) + "sshd -D")); got != want {
			t.Errorf("behind %d runners: got %q, want %q", runners, got, want)
		}
	}
}

// certificate makes a certificate of an authority, or of a server.
func certificate(t *testing.T, name string, isCA bool) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	tpl := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, IsCA: isCA, BasicConstraintsValid: true,
		NotAfter: time.Now().Add(time.Hour),
	}
	parent, signer := tpl, key
	if !isCA {
		parent = &x509.Certificate{Subject: pkix.Name{CommonName: "issuer"}}
	}
	der, err := x509.CreateCertificate(rand.Reader, tpl, parent, &key.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	return der
}

func TestAuthorities(t *testing.T) {
	ca, server := certificate(t, "Corp Root", true), certificate(t, "www", false)
	bundle := "# comment\n"
	for _, der := range [][]byte{ca, server} {
		bundle += string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	}
	for _, tt := range []struct {
		name string
		in   []byte
		want int
	}{
		{"PEM", []byte(bundle), 1}, {"DER", ca, 1}, {"a server's", server, 0}, {"cut", []byte(bundle[:200]), 0}, {"text", []byte("x"), 0}, {"nothing", nil, 0},
	} {
		got := authorities(tt.in)
		if len(got) != tt.want || len(got) == 1 && got[0].Name != "Corp Root" {
			t.Errorf("%s: got %v", tt.name, got)
		}
	}
}

// FuzzProbes holds the probes to their promise: any content, no panic, few facts.
func FuzzProbes(f *testing.F) {
	f.Add("[http]\nsslVerify=false\n", "/root/.gitconfig")
	f.Add("#!/bin/sh\niptables -A OUTPUT -j ACCEPT", "/usr/local/bin/OUTPUT.sh")
	f.Add("table inet f {\nchain o {\ntype filter hook output priority 0; policy drop;\nudp dport {53} accept\n", "/etc/nftables.conf")
	f.Add("*filter\n:OUTPUT DROP\n-A OUTPUT -j ACCEPT\n", "/etc/rules.v4")
	f.Add("Match all\nListenAddress [::]:22\nPort x", "/etc/ssh/sshd_config")
	f.Add("-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n", "/etc/ssl/certs/ca-certificates.crt")
	f.Fuzz(func(t *testing.T, text, path string) {
		if !strings.HasPrefix(path, "/") {
			path = "/" + path
		}
		e := image.Entry{Path: path, Mode: 0o755, Size: int64(len(text))}
		n := 0
		for _, read := range []func() int{
			func() int { return count(Settings, e, text) }, func() int { return countHoles(e, text) }, func() int { return count(ServerConfigs, e, text) },
			func() int { return count(Hosts, e, text) }, func() int { return count(Resolvers, e, text) }, func() int { return count(Anchors, e, text) },
			func() int { return count(ClearURLs, e, text) }, func() int { return count(BrowserFlags, e, text) },
		} {
			n += read()
		}
		if n > len(text)*4 {
			t.Errorf("%d facts of %d bytes", n, len(text))
		}
	})
}

func countHoles(e image.Entry, text string) int {
	if !Firewalls.Want(e) {
		return 0
	}
	v, _ := Firewalls.Read(e, []byte(text))
	return len(v.Holes)
}

func count[T any](p *image.Probe[[]T], e image.Entry, text string) int {
	if !p.Want(e) {
		return 0
	}
	v, _ := p.Read(e, []byte(text))
	return len(v)
}
