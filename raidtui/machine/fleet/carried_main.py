"""What runs on a host without raidtui: this file, as __main__ of the archive that is carried there."""

from __future__ import annotations

from raidtui.machine.fleet.host_look import look_here
from raidtui.machine.fleet.host_side import serve

if __name__ == "__main__":
    raise SystemExit(serve({"look": lambda _: look_here(measured=False)}))
