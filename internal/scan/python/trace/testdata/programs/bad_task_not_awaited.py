# drop=bad env=bad
import asyncio
import os
import agentrt

async def harden():
    os.environ.clear()
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)

async def main():
    harden()
    agentrt.serve()

asyncio.run(main())
