# drop=ok env=ok
from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final, Protocol, overload, final

import agentrt

if TYPE_CHECKING:
    from agentrt.types import Handler

UID: Final[int] = 10_000
GID: Final = UID
NAMES: Final[tuple[str, ...]] = ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")

class Runner(Protocol):
    def __call__(self, secrets: Mapping[str, str]) -> None: ...

@overload
def take(name: str) -> str: ...
@overload
def take(name: str, default: None) -> str | None: ...
def take(name, default=""):
    return os.environ.pop(name, default)

def drop(*, uid: int, gid: int, groups: Iterable[int] = ()) -> None:
    os.setgroups(list(groups))
    os.setgid(gid)
    os.setuid(uid)
    assert os.getuid() == uid, "still someone else"

@final
class Main:
    __slots__ = ("runner",)
    def __init__(self, runner: Runner) -> None:
        self.runner = runner
    def __call__(self) -> None:
        secrets = {n: take(n) for n in NAMES}
        drop(uid=UID, gid=GID)
        self.runner(secrets)

if __name__ == "__main__":
    Main(agentrt.serve)()
