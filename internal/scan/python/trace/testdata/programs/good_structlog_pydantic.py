# drop=ok env=ok
import os
import structlog
from pydantic import BaseModel, Field
import agentrt
structlog.configure(processors=[structlog.processors.JSONRenderer()])
log = structlog.get_logger(__name__)
class Settings(BaseModel):
    token: str = Field(...)
    url: str
    session: str = ""
def load() -> Settings:
    return Settings(token=os.environ.pop("SESSION_TOKEN"), url=os.environ.pop("CONTROL_PLANE_URL"), session=os.environ.pop("SESSION_ID", ""))
settings = load()
log.info("loaded", url=settings.url)
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
log.info("dropped")
agentrt.serve(settings)
