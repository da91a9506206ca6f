"""Creates, syncs, reads and deletes many small files in the working directory, and prints the duration of each phase.

Run by path in a process of its own, `python -I -S small_files.py FILES BYTES PROCESSES FOLDER DROP`, so it imports
nothing of raidtui. FILES files of BYTES on average (a fifth to nine fifths of it, always the same sizes), six in a
directory, a hundred directories in one above, are created under FOLDER by PROCESSES processes. DROP is 1 to empty the
page cache before reading (root). Output: one JSON object with the seconds of create, sync, read, delete, and `dropped`.
"""

import ctypes
import json
import os
import random
import signal
import sys
import time
from collections.abc import Callable

IN_FOLDER = 6
FOLDERS_IN_ONE = 100
_PR_SET_PDEATHSIG = 1


def sizes(files: int, mean: int) -> list[int]:
    """Bytes of each file."""
    chance = random.Random(5734)
    low, high = max(1, mean // 5), max(1, mean * 2 - mean // 5)
    return [chance.randint(low, high) for _ in range(files)]


def folder_of(number: int) -> str:
    """Directory of file `number`."""
    folder = number // IN_FOLDER
    return f"{folder // FOLDERS_IN_ONE}/{folder % FOLDERS_IN_ONE}"


def create(numbers: range, bytes_of: list[int]) -> None:
    """Creates the directories and files of `numbers`."""
    content = os.urandom(max(bytes_of))
    made = ""
    for number in numbers:
        folder = folder_of(number)
        if folder != made:
            os.makedirs(folder, exist_ok=True)  # noqa: PTH103
            made = folder
        handle = os.open(f"{folder}/{number}", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        if os.write(handle, content[: bytes_of[number]]) != bytes_of[number]:
            raise OSError(28, "No space left on device")
        os.close(handle)


def read(numbers: range, bytes_of: list[int]) -> None:
    """Reads the files of `numbers` and checks their sizes."""
    for number in numbers:
        handle = os.open(f"{folder_of(number)}/{number}", os.O_RDONLY)
        if len(os.read(handle, bytes_of[number] + 1)) != bytes_of[number]:
            raise OSError(5, f"file {number} differs from what was written")
        os.close(handle)


def delete(numbers: range, _: list[int]) -> None:
    """Removes the files and directories of `numbers`."""
    last = ""
    for number in numbers:
        folder = folder_of(number)
        if last and folder != last:
            os.rmdir(last)  # noqa: PTH106
        os.unlink(f"{folder}/{number}")  # noqa: PTH108
        last = folder
    if last:
        os.rmdir(last)  # noqa: PTH106


def shares(files: int, processes: int) -> list[range]:
    """The numbers of each process: whole directories."""
    folders = -(-files // IN_FOLDER)
    cuts = [min(files, folders * at // processes * IN_FOLDER) for at in range(processes + 1)]
    return [range(cuts[at], cuts[at + 1]) for at in range(processes)]


def phase(work: Callable[[range, list[int]], None], parts: list[range], bytes_of: list[int]) -> float:
    """Seconds until all processes have finished. Exits if one failed."""
    began = time.monotonic()
    me = os.getpid()
    children = [_child(work, part, bytes_of, me) for part in parts if part]
    failed = [child for child in children if os.waitpid(child, 0)[1]]
    if failed:
        sys.exit(1)  # the child printed the reason
    return time.monotonic() - began


def _child(work: Callable[[range, list[int]], None], part: range, bytes_of: list[int], parent: int) -> int:
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() == parent:
            work(part, bytes_of)
            code = 0
    except OSError as problem:
        sys.stderr.write(f"small files: {problem.strerror}\n")
        sys.stderr.flush()
    finally:
        os._exit(code)


def sync() -> float:
    """Seconds of a syncfs(2)."""
    began = time.monotonic()
    handle = os.open(".", os.O_RDONLY | os.O_DIRECTORY)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syncfs(handle):
        sys.exit(f"small files: {os.strerror(ctypes.get_errno())}")
    os.close(handle)
    return time.monotonic() - began


def drop() -> bool:
    """Empties the page, dentry and inode caches; False without permission."""
    try:
        handle = os.open("/proc/sys/vm/drop_caches", os.O_WRONLY)
        os.write(handle, b"3")
        os.close(handle)
    except OSError:
        return False
    return True


def main(files: int, mean: int, processes: int, folder: str, *, may_drop: bool) -> dict[str, object]:
    """Runs all phases in order, then removes `folder`."""
    os.mkdir(folder, 0o700)  # noqa: PTH102
    os.chdir(folder)
    bytes_of = sizes(files, mean)
    parts = shares(files, processes)
    found: dict[str, object] = {"files": files, "bytes": sum(bytes_of), "began": time.time()}
    found["create"] = phase(create, parts, bytes_of)
    found["sync"] = sync()
    found["dropped"] = drop() if may_drop else False
    found["read"] = phase(read, parts, bytes_of)
    found["delete"] = phase(delete, parts, bytes_of)
    for name in os.listdir("."):  # noqa: PTH208
        os.rmdir(name)  # noqa: PTH106
    found["delete_sync"] = sync()
    found["ended"] = time.time()
    os.chdir("..")
    os.rmdir(folder)  # noqa: PTH106
    return found


if __name__ == "__main__":
    _, _files, _mean, _processes, _folder, _drop = sys.argv
    try:
        _found = main(int(_files), int(_mean), int(_processes), _folder, may_drop=_drop == "1")
    except OSError as _problem:
        sys.exit(f"small files: {_problem.strerror}")
    print(json.dumps(_found))
