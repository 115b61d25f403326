# drop=ok env=ok
import os
from contextlib import asynccontextmanager
import fastapi
import uvicorn
@asynccontextmanager
async def lifespan(app):
    yield
app = fastapi.FastAPI(lifespan=lifespan)
@app.post("/run")
async def run_code(code: str):
    exec(code, {})
    return {"ok": True}
def main():
    for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID"):
        os.environ.pop(n, None)
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)
    uvicorn.run(app, host="127.0.0.1", port=8000)
main()
