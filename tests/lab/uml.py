"""One guest under user-mode Linux: its command line, its console, the end of all its processes.

The kernel is an ordinary process and several helpers, which hold memory and files of the machine and outlive it: they
are a process group of their own, which is killed as a whole. A watchdog does it when this process ends before.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tests.lab.agent import Agent
from tests.lab.guest_agent import EXCHANGE
from tests.lab.host import cache_dir, require_programs, run_host
from tests.lab.image import Image, locked
from tests.lab.process import GuestProcess
from tests.lab.state import copy_sparse

_WATCHDOG = "read -r _; kill -s KILL -- -$1"
"""ends a process group once this process is gone; dash takes no `--` after -9"""
_NAME = "kernel"
_PR_SET_CHILD_SUBREAPER = 36
_MASKED = (
    "blk-availability.service",
    "boot.mount",
    "dev-hugepages.mount",
    "dev-mqueue.mount",
    "getty.target",
    "kmod-static-nodes.service",
    "lvm2-monitor.service",
    "modprobe@dm_mod.service",
    "proc-sys-fs-binfmt_misc.automount",
    "ssh.service",
    "sys-fs-fuse-connections.mount",
    "sys-kernel-config.mount",
    "sys-kernel-debug.mount",
    "sys-kernel-tracing.mount",
    "systemd-journal-flush.service",
    "systemd-logind.service",
    "systemd-modules-load.service",
    "systemd-random-seed.service",
    "systemd-sysctl.service",
    "systemd-sysusers.service",
    "systemd-tmpfiles-setup-dev.service",
    "systemd-udev-trigger.service",
    "systemd-update-utmp-runlevel.service",
    "systemd-update-utmp.service",
    "systemd-user-sessions.service",
)
"""units that take most of a boot's time and that no array needs"""
_APPEND = (
    "root=/dev/ubda rootfstype=ext4 rw con=null con0=null,fd:1 ssl=null noreboot quiet loglevel=4 panic=-1 audit=0 "
    "systemd.show_status=no seccomp=auto raidtui.lab.quick"
)


class Uml(GuestProcess):
    """A running guest. LabError, with the end of its console, when it fails."""

    engine = "user-mode Linux"

    def __init__(self, work: Path, image: Image, *, memory_mib: int, disks: int, words: Sequence[str] = ()) -> None:
        """Start the kernel in `work`, with so many disks that a `Storage` serves; `words`: more of its command line."""
        self.logs = (work / "storage.log", work / "console.log")
        _adopt()
        ours, theirs = socket.socketpair()
        exchange = work / EXCHANGE.name
        exchange.mkdir(exist_ok=True)
        shutil.rmtree(work / _NAME, ignore_errors=True)  # of a boot before, whose process number may be another's now
        argv = [str(image.user_mode_kernel), f"mem={memory_mib}M", f"ubd0={work / 'root.cow'},{root_copy(image)}"]
        argv += [
            *_APPEND.split(),
            f"ssl0=fd:{theirs.fileno()}",
            f"hostfs={work}",
            f"uml_dir={work}/",
            f"umid={_NAME}",
        ]
        argv += [f"systemd.mask={unit}" for unit in _MASKED]
        argv += [f"virtio_uml.device=disk{place}:2" for place in range(disks)]
        argv += words  # last: what follows `--` is for the first program
        place = {"PATH": "/usr/bin:/bin", "HOME": str(work), "TMPDIR": _memory_place(work, memory_mib)}
        with (work / "console.log").open("ab") as console, theirs:
            self.process = subprocess.Popen(
                argv,
                cwd=work,
                env=place | _registers(),
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=subprocess.STDOUT,
                pass_fds=[theirs.fileno()],
                preexec_fn=_stay_on_one_processor,
                start_new_session=True,
            )
        self._watchdog = watchdog(self.process.pid)
        self.agent = Agent(ours, self.watch, exchange)

    def kill(self) -> None:
        """SIGKILL to the kernel and all its helpers, until the last of them is gone."""
        self._watchdog.kill()
        self._watchdog.communicate()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while True:
                os.waitpid(-self.process.pid, 0)
        self.process.wait()
        self.agent.close()


def watchdog(group: int) -> subprocess.Popen[bytes]:
    """A process that kills a process group when its standard input closes, as it does when this process ends."""
    argv = ["/bin/sh", "-c", _WATCHDOG, "sh", str(group)]
    return subprocess.Popen(argv, stdin=subprocess.PIPE, start_new_session=True)


def _registers() -> dict[str, str]:
    """What lets the kernel run on a processor with more registers than it knows (registers.c); nothing elsewhere."""
    if "amx_tile" not in Path("/proc/cpuinfo").read_text("utf-8"):
        return {}
    source = Path(__file__).with_name("registers.c")
    made = cache_dir() / f"registers-{hashlib.sha256(source.read_bytes()).hexdigest()[:16]}.so"
    with locked("registers"):
        if not made.exists():
            require_programs({"gcc": "gcc"})
            partial = made.with_suffix(".partial")
            run_host(["gcc", "-shared", "-fPIC", "-nostdlib", "-O1", "-fno-builtin", "-o", str(partial), str(source)])
            partial.rename(made)
    return {"LD_PRELOAD": str(made)}


def _adopt() -> None:
    """Make this process the parent of what a guest's kernel leaves, so that it can wait for it."""
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1)


def _stay_on_one_processor() -> None:
    """Halves what a start of a program in the guest costs: its kernel and its programs wait for each other in turns.

    Workers of pytest-xdist take different processors.
    """
    ours = sorted(os.sched_getaffinity(0))
    worker = os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")
    os.sched_setaffinity(0, {ours[int(worker) % len(ours)]})


def _memory_place(work: Path, memory_mib: int) -> str:
    """Where the guest's memory is a file: in the host's own where that has the room and may be executed."""
    try:
        shared = os.statvfs("/dev/shm")
    except OSError:
        return str(work)
    roomy = shared.f_bavail * shared.f_frsize > 2 * memory_mib << 20
    return "/dev/shm" if roomy and not shared.f_flag & os.ST_NOEXEC else str(work)


def root_copy(image: Image) -> Path:
    """A copy of the image's root disk: user-mode Linux locks the whole file, which QEMU then cannot open."""
    copy = image.directory / "root-quick.raw"
    with locked("quick-root"):
        if not copy.exists():
            part = copy.with_suffix(".part")
            copy_sparse(image.root, part)
            part.rename(copy)
    return copy
