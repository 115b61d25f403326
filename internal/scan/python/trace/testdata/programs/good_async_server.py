# drop=ok env=ok
import asyncio
import os
import signal
import agentrt

class Runtime:
    def __init__(self):
        self.stop = asyncio.Event()
        self.secrets = None

    async def __aenter__(self):
        self.secrets = [os.environ.pop(n) for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
        os.setgroups([])
        os.setgid(1000)
        os.setuid(1000)
        return self

    async def __aexit__(self, *exc):
        self.secrets = None

    async def serve(self):
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(None, agentrt.serve, *self.secrets)

async def main():
    async with Runtime() as rt:
        await rt.serve()

asyncio.run(main())
