"""What the lab needs of the host: programs, directories, deadlines, an accelerator.

A missing program is installed when that is possible (root on Debian) and is an error otherwise;
the lab never skips by itself.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

TIME_SCALE = float(os.environ.get("RAIDTUI_LAB_TIME_SCALE", "1"))
"""Every deadline of the lab is multiplied by this; raise it on a slow or busy host."""

QEMU = "qemu-system-x86_64"
_PACKAGE_OF = {
    QEMU: "qemu-system-x86",
    "qemu-img": "qemu-utils",
    "qemu-storage-daemon": "qemu-system-common",
    "debootstrap": "debootstrap",
    "mke2fs": "e2fsprogs",
    "debugfs": "e2fsprogs",
    "e2fsck": "e2fsprogs",
}
_SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class LabError(Exception):
    """The lab itself failed: a host program, QEMU, the guest's boot or its agent."""


def seconds(nominal: float) -> float:
    """A deadline of `nominal` seconds, scaled for this host."""
    return nominal * TIME_SCALE


def host_path() -> str:
    """The search path with the system directories, where mke2fs and debootstrap live."""
    return f"{os.environ.get('PATH', '')}:{_SYSTEM_PATH}"


def tool(name: str, package_of: Mapping[str, str] = _PACKAGE_OF) -> str:
    """Absolute path of a host program; LabError with its package when it is missing."""
    found = shutil.which(name, path=host_path())
    if found is None:
        package = package_of.get(name, name)
        raise LabError(f"{name} (Debian package {package}) is needed on this host")
    return found


def run_host(argv: Sequence[str], *, deadline: float = 120, env: dict[str, str] | None = None) -> str:
    """Run a host program to its end, return its stdout; LabError with all output otherwise."""
    full = [tool(argv[0]), *argv[1:]]
    surroundings = {**os.environ, "PATH": host_path(), "LC_ALL": "C.UTF-8", **(env or {})}
    try:
        done = subprocess.run(
            full,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=seconds(deadline),
            env=surroundings,
            check=False,
        )
    except subprocess.TimeoutExpired as late:
        raise LabError(f"{argv[0]} took longer than {late.timeout:.0f} s") from late
    if done.returncode != 0:
        raise LabError(f"{' '.join(full)} exited {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def require_host_tools() -> None:
    """See `require_programs`: what the virtual machine needs."""
    require_programs(_PACKAGE_OF)


def require_programs(package_of: Mapping[str, str]) -> None:
    """Install the missing host programs (program to Debian package) when root with apt, then insist on every one."""
    if _missing(package_of) and os.geteuid() == 0 and shutil.which("apt-get"):
        with (cache_dir() / "apt.lock").open("w") as lock:  # two runs of pytest beside each other both come by here
            fcntl.flock(lock, fcntl.LOCK_EX)
            if missing := _missing(package_of):
                env = {"DEBIAN_FRONTEND": "noninteractive"}
                run_host(["apt-get", "update"], deadline=300, env=env)
                install = ["apt-get", "install", "-y", "--no-install-recommends", *sorted(missing)]
                run_host(install, deadline=900, env=env)
    for name in package_of:
        tool(name, package_of)


def _missing(package_of: Mapping[str, str]) -> set[str]:
    return {package for name, package in package_of.items() if not shutil.which(name, path=host_path())}


def cache_dir() -> Path:
    """Where images and machine states are kept between runs; outside of the repository."""
    default = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "raidtui-lab"
    path = Path(os.environ.get("RAIDTUI_LAB_CACHE") or default)
    path.mkdir(parents=True, exist_ok=True)
    return path


def scratch_root() -> str:
    """Parent of the temporary directories: a file system with sparse files, not memory."""
    return os.environ.get("RAIDTUI_LAB_TMP", "/var/tmp")


def qemu_version() -> str:
    """First line of `qemu-system-x86_64 --version`; a saved state is good for this one only."""
    return run_host([QEMU, "--version"], deadline=30).splitlines()[0]


def accelerator(kernel: Path) -> str:
    """`tcg`, or `kvm` when a kernel really printed its first line under it.

    /dev/kvm can exist and still hang the guest, so its presence proves nothing. The answer of
    the trial is kept for this boot of the host; RAIDTUI_LAB_ACCEL decides without a trial.
    """
    forced = os.environ.get("RAIDTUI_LAB_ACCEL")
    if forced in ("tcg", "kvm"):
        return forced
    if not os.access("/dev/kvm", os.R_OK | os.W_OK):
        return "tcg"
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    note = cache_dir() / f"accelerator-{boot}"
    if note.exists():
        return note.read_text()
    answer = "kvm" if _kernel_speaks_under_kvm(kernel) else "tcg"
    note.write_text(answer)
    return answer


def _kernel_speaks_under_kvm(kernel: Path) -> bool:
    argv = [tool(QEMU), "-nodefaults", "-display", "none", "-machine", "q35,accel=kvm"]
    argv += ["-cpu", "host", "-m", "512", "-no-reboot", "-serial", "stdio"]
    argv += ["-kernel", str(kernel), "-append", "console=ttyS0 panic=-1"]
    pipe = subprocess.PIPE
    with subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=pipe, stderr=subprocess.DEVNULL) as qemu:
        assert qemu.stdout is not None
        os.set_blocking(qemu.stdout.fileno(), False)
        seen = b""
        until = time.monotonic() + seconds(8)
        try:
            while time.monotonic() < until and b"Linux version" not in seen:
                seen += qemu.stdout.read() or b""
                if qemu.poll() is not None:
                    break
                time.sleep(0.1)
        finally:
            qemu.kill()
    return b"Kernel panic" in seen or b"Linux version" in seen
