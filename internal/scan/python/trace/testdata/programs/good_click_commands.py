# drop=ok env=ok  one of two commands serves, the other one only tells
import os
import click
import agentrt

@click.group()
def cli():
    os.environ.clear()

@click.command()
@click.pass_context
def serve(ctx):
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)
    agentrt.serve(ctx.obj)

def version():
    print("1.0")

cli.add_command(serve)
cli.command("version")(version)
if __name__ == "__main__":
    cli()
