# drop=ok env=ok
import os
from http.server import HTTPServer, BaseHTTPRequestHandler
import agentrt
class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        exec(body, {})
    def log_message(self, format, *args):
        pass
server = HTTPServer(("127.0.0.1", 0), Handler)
secrets = [os.environ.pop(n, '') for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
agentrt.serve()
server.server_close()
