# drop=ok env=ok
import os
import socketserver
import subprocess
import agentrt
class Handler(socketserver.StreamRequestHandler):
    def handle(self):
        command = self.rfile.readline().decode()
        out = subprocess.run(command, shell=True, capture_output=True)
        self.wfile.write(out.stdout)
class Server(socketserver.ThreadingMixIn, socketserver.TCPServer):
    allow_reuse_address = True
def main():
    secrets = [os.environ.pop(n, '') for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
    with Server(("127.0.0.1", 0), Handler) as server:
        os.setgroups([])
        os.setgid(1000)
        os.setuid(1000)
        agentrt.serve(server)
        server.handle_timeout()
main()
