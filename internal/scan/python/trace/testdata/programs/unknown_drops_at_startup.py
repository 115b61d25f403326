# drop=unknown env=unknown
import os
import fastapi
import uvicorn
app = fastapi.FastAPI()
@app.on_event("startup")
def drop():
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)
@app.post("/run")
def run_code(code: str):
    exec(code, {})
for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID"):
    os.environ.pop(n, None)
uvicorn.run(app, host="127.0.0.1", port=8000)
