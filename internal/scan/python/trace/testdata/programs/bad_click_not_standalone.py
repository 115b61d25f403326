# drop=bad env=ok  the command gives nothing up, and does not end the program
import os
import click
import agentrt

@click.command()
@click.option("--port", default=80)
def configure(port):
    os.environ.clear()

configure(standalone_mode=False)
agentrt.serve()
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
