"""`raidtui` on a control host: its state is in a directory of the test, not in that of this machine.

python -m tests.lab.control_host DIR VERB...
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from raidtui.cli import main
from raidtui.machine.system import places

if __name__ == "__main__":
    places.REAL_ROOT = Path(sys.argv[1])
    os.environ["XDG_STATE_HOME"] = sys.argv[1]
    sys.exit(main(sys.argv[2:]))
