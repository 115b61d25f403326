# drop=bad env=ok  the asynchronous manager swallows
import asyncio
import os
import agentrt

class Session:
    async def __aenter__(self):
        return self

    async def __aexit__(self, *exc):
        return True

async def main():
    os.environ.clear()
    async with Session():
        os.setgroups([])
        os.setgid(1000)
        os.setuid(1000)
    await agentrt.serve()

asyncio.run(main())
