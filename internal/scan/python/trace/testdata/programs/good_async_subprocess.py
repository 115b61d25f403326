# drop=ok env=ok
import asyncio
import os
import agentrt
async def run():
    proc = await asyncio.create_subprocess_exec(agentrt.PROBE, "x", env={"PATH": "/usr/bin:/bin"}, user=1000, group=1000, extra_groups=[])
    return await proc.wait()
token = os.environ["SESSION_TOKEN"]
raise SystemExit(asyncio.run(run()))
