# drop=bad env=ok  the agent is awaited before the drop
import asyncio
import os
import agentrt

async def agent():
    await agentrt.serve()

async def drop():
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)

async def main():
    os.environ.clear()
    await asyncio.gather(agent(), drop())

asyncio.run(main())
