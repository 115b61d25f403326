# drop=bad env=ok  the coroutine is not awaited
import asyncio
import os
import agentrt

async def drop():
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)

async def main():
    secrets = [os.environ.pop(n, None) for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
    drop()
    agentrt.serve(*secrets)

asyncio.run(main())
