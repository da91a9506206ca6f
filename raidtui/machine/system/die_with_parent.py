"""Starts a program that the kernel kills when its parent ends: `die_with_parent.py PID PROGRAM ARGUMENT...`.

Run by path with `python -I -S`, so it imports nothing of raidtui. Without it fio would go on writing after raidtui was
killed with SIGKILL, which no process can catch (prctl(2), PR_SET_PDEATHSIG).
"""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def bind(parent: int) -> None:
    """Has the kernel kill this process when its `parent` ends. Exits if the parent is already gone."""
    if ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0):
        sys.exit("die_with_parent: the kernel refuses PR_SET_PDEATHSIG")
    if os.getppid() != parent:
        sys.exit("die_with_parent: the parent is gone")


if __name__ == "__main__":
    bind(int(sys.argv[1]))
    os.execv(sys.argv[2], sys.argv[2:])
