"""`python -m raidtui`."""

from raidtui.cli import main

raise SystemExit(main())
