"""What runs on a host without raidtui: this file, as __main__ of the archive that is carried there."""

from __future__ import annotations

from raidtui.fleet.host import look_here, serve

if __name__ == "__main__":
    raise SystemExit(serve({"look": lambda _: look_here(measured=False)}))
