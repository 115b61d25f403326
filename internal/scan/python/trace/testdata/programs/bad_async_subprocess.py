# drop=bad env=bad
import asyncio
import os
import agentrt
async def run():
    proc = await asyncio.create_subprocess_exec(agentrt.PROBE, "x")
    return await proc.wait()
token = os.environ["SESSION_TOKEN"]
raise SystemExit(asyncio.run(run()))
