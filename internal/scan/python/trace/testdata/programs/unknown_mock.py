# drop=unknown env=unknown  a patch of which is not known what it changes
import os
from unittest import mock
import agentrt

os.environ.clear()
with mock.patch("os.setuid"):
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)
agentrt.serve()
