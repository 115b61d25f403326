# drop=ok env=ok  tasks are made after the drop
import asyncio
import os
import agentrt

async def heartbeat():
    while True:
        await asyncio.sleep(5)

async def agent():
    await agentrt.serve()

async def main():
    os.environ.clear()
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)
    asyncio.create_task(heartbeat())
    await asyncio.gather(agent(), agent())

asyncio.run(main())
