"""hatchling's hook for the wheel: takes in man pages and completions, which an editable installation does without."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_SOME_DAY = 1577836800
"""date of the man pages where SOURCE_DATE_EPOCH names none: 1 January 2020"""


class ReleaseHook(BuildHookInterface[Any]):
    """Called by hatchling, which finds the class in this file."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Adds the files to those that the wheel installs below share/."""
        if version == "editable":
            return
        sys.path.insert(0, self.root)  # isolated builds have the project nowhere else
        from tests.release.documents import write_documents

        self._made = Path(tempfile.mkdtemp(prefix="raidtui-documents-"))
        for path in write_documents(self._made, int(os.environ.get("SOURCE_DATE_EPOCH", _SOME_DAY))):
            build_data["shared_data"][str(path)] = f"share/{path.relative_to(self._made)}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Removes what `initialize` made."""
        if version != "editable":
            shutil.rmtree(self._made)
