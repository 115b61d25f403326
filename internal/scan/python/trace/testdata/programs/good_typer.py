# drop=ok env=ok
import os
import typer
import agentrt
app = typer.Typer(add_completion=False)
@app.command()
def run(port: int = 8000, host: str = typer.Option("127.0.0.1", help="bind")):
    for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID"):
        os.environ.pop(n, None)
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)
    agentrt.serve(host, port)
if __name__ == "__main__":
    app()
