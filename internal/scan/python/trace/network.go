package trace

import (
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/effect"
)

// networkModels are the standard library's sockets and servers.
func networkModels() map[string]model {
	m := map[string]model{"asyncio.start_server": startServer}
	for _, server := range []string{
		"http.server.HTTPServer", "http.server.ThreadingHTTPServer", "socketserver.TCPServer", "socketserver.ThreadingTCPServer",
		"socketserver.UDPServer", "socketserver.ForkingTCPServer", "xmlrpc.server.SimpleXMLRPCServer", "wsgiref.simple_server.make_server",
	} {
		m[server] = newServer
	}
	return m
}

// newServer binds the address that is its first argument: a pair, or a host and a port.
func newServer(c *call) []outcome {
	addr := c.given(0, "server_address")
	if addr.kind == stringKind && len(c.args) > 1 {
		addr = tuple(c.args[:2])
	}
	c.bindTo(addr)
	return c.mayRaise(external(c.path+"()", StandardLibrary), "OSError")
}

// startServer binds host and port, and gives a server that listens.
func startServer(c *call) []outcome {
	host, ok := c.arg(1, "host")
	if !ok {
		host = none
	}
	c.bindTo(tuple([]value{host, c.given(2, "port")}))
	return c.mayRaise(external("asyncio.start_server()", StandardLibrary), "OSError")
}

// bindings notes what a call that isn't modelled binds: sock.bind(address), or a server given host= (and port=).
func (c *call) bindings(name string) {
	if name == "bind" && len(c.args) == 1 && c.args[0].kind == tupleKind {
		c.bindTo(c.args[0])
		return
	}
	if c.has("host") && (c.has("port") || handOffs[name]) {
		c.bindTo(tuple([]value{c.given(-1, "host"), c.given(-1, "port")}))
	}
}

// bindTo notes that an address is bound. Its Note is the address, with ? for what is not known; an empty host is every interface.
func (c *call) bindTo(addr value) {
	items := addr.items()
	if addr.kind != tupleKind || len(items) < 2 {
		return
	}
	host, port := "?", "?"
	switch items[0].kind {
	case stringKind:
		if host = items[0].text; host == "" {
			host = "0.0.0.0"
		}
	case noneKind:
		host = "0.0.0.0"
	}
	if items[1].kind == intKind {
		port = decimal(items[1].num)
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	c.note(effect.Effect{Kind: effect.Bind, Note: host + ":" + port})
}
