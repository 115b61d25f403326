# drop=ok env=ok
from __future__ import annotations
import os
from dataclasses import dataclass, fields
import agentrt

class ConfigError(Exception):
    pass

@dataclass(frozen=True)
class Settings:
    session_token: str
    control_plane_url: str
    session_id: str

    @classmethod
    def from_env(cls) -> Settings:
        values = {}
        for field in fields(cls):
            raw = os.environ.pop(field.name.upper(), None)
            if raw is None:
                raise ConfigError(f"{field.name} is missing")
            values[field.name] = raw
        return cls(**values)

def main() -> None:
    settings = Settings.from_env()
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)
    agentrt.serve(settings)

main()
