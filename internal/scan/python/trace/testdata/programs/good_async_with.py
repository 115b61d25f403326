# drop=ok env=ok
import asyncio
import contextlib
import os
import agentrt
@contextlib.asynccontextmanager
async def session():
    taken = {n: os.environ.pop(n, None) for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")}
    await asyncio.to_thread(print, "session")
    try:
        yield taken
    finally:
        taken.clear()
async def numbers():
    for i in range(2):
        yield i
        await asyncio.sleep(0)
async def main():
    async with session() as s:
        os.setgroups([])
        os.setgid(1000)
        os.setuid(1000)
        async for i in numbers():
            agentrt.serve(i, s)
asyncio.run(main())
