# drop=ok env=ok  asynchronous context managers of both kinds
import asyncio
import contextlib
import os
import agentrt

@contextlib.asynccontextmanager
async def boot(uid):
    os.setgroups([])
    os.setgid(uid)
    os.setuid(uid)
    yield uid
    print("over")

class Session:
    async def __aenter__(self):
        os.environ.clear()
        return self

    async def __aexit__(self, *exc):
        return False

async def main():
    async with Session(), boot(1000) as uid:
        await agentrt.serve(uid)

asyncio.run(main())
