"""Creates, syncs, reads and deletes many small files in the working directory, and prints the duration of each phase.

Run by path in a process of its own, `python -I -S small_files.py FILES BYTES PROCESSES FOLDER DROP`, so it imports
nothing of raidtui. FILES files of BYTES on average (a fifth to nine fifths of it, always the same sizes), six in a
directory, a hundred directories in one above, are created under FOLDER by PROCESSES processes. DROP is 1 to empty the
page cache before reading (root). Output: one JSON object with the seconds of create, sync, read, delete, and `dropped`.

With a sixth word, a tar file or a directory, that tree is unpacked or copied instead, by one process; it is listed too,
and each file is read back and compared by its SHA-256. Only regular files and directories are made, each below FOLDER,
with our owner and mode: no link ever is, so no name leads out of it. The rest is skipped.
"""

import ctypes
import hashlib
import json
import lzma
import os
import random
import signal
import stat
import sys
import tarfile
import time
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import IO

IN_FOLDER = 6
FOLDERS_IN_ONE = 100
_PR_SET_PDEATHSIG = 1
_PIECE = 1 << 20
TreeEntry = tuple[str, int | None, str, Callable[[], IO[bytes] | None]]
"""name in the tree, bytes (None: a directory), why it is skipped (empty: it is not), and what opens it"""


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


def members(source: str) -> Iterator[TreeEntry]:
    """What a tar file or a directory holds, in its order, directories before what is in them."""
    made: dict[str, bool] = {"": True}
    for name, size, why, opened in _in_folder(source) if os.path.isdir(source) else _in_archive(source):  # noqa: PTH112
        parts = [part for part in name.split("/") if part not in ("", ".")]
        short = "/".join(parts)
        if name.startswith("/") or ".." in parts or "\0" in name:
            why = "a name that leads out of the tree"
        elif not why and not short:
            continue
        elif not why and ((short in made and (size is not None or not made[short])) or _below_file(parts, made)):
            why = "a name given twice"
        if not why:
            for at in range(1, len(parts)):
                above = "/".join(parts[:at])
                if above not in made:
                    made[above] = True
                    yield above, None, "", lambda: None
            if short in made:
                continue
            made[short] = size is None
        yield short if not why else name, size, why, opened


def _below_file(parts: list[str], made: dict[str, bool]) -> bool:
    return not all(made.get("/".join(parts[:at]), True) for at in range(1, len(parts)))


def _in_archive(source: str) -> Iterator[TreeEntry]:
    # a FIFO would wait for its writer: not blocking, and what is no file is refused
    handle = os.open(source, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as file, _archive(file) as archive:
        while (each := archive.next()) is not None:
            why = "" if each.isdir() or each.isreg() else "a link" if each.issym() or each.islnk() else "a special file"
            yield each.name, None if each.isdir() else each.size, why, partial(archive.extractfile, each)
            archive.members.clear()  # type: ignore[attr-defined] # a tree of millions would fill the memory


def _archive(file: IO[bytes]) -> tarfile.TarFile:
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        raise ValueError("neither a regular file nor a directory")
    return tarfile.open(fileobj=file)  # nothing is extracted by tarfile


def _in_folder(source: str) -> Iterator[TreeEntry]:
    for above, folders, files in os.walk(source):
        for name in sorted(folders) + sorted(files):
            path = f"{above}/{name}"
            found = os.lstat(path)
            regular, folder = stat.S_ISREG(found.st_mode), stat.S_ISDIR(found.st_mode)
            why = "" if regular or folder else "a link" if stat.S_ISLNK(found.st_mode) else "a special file"
            yield path[len(source) :].lstrip("/"), None if folder else found.st_size, why, partial(_opened, path)


def _opened(path: str) -> IO[bytes]:
    return os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb")


def unpack(source: str) -> tuple[dict[str, bytes], list[str]]:
    """Writes the tree of `source`; the SHA-256 of each file, and the directories in order."""
    sums: dict[str, bytes] = {}
    folders = []
    for name, size, why, opened in members(source):
        if why:
            continue
        if size is None:
            os.mkdir(name, 0o700)  # noqa: PTH102
            folders.append(name)
            continue
        found = hashlib.sha256()
        handle = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(handle, "wb", buffering=0) as out, opened() as file:  # type: ignore[union-attr]
            while piece := file.read(_PIECE):
                found.update(piece)
                if out.write(piece) != len(piece):
                    raise OSError(28, "No space left on device")
        sums[name] = found.digest()
    return sums, folders


def main_tree(source: str, folder: str, *, may_drop: bool) -> dict[str, object]:
    """Runs all phases on the tree of `source`, then removes `folder`."""
    sums = {name: _sum(opened) for name, size, why, opened in members(source) if not why and size is not None}
    os.mkdir(folder, 0o700)  # noqa: PTH102
    os.chdir(folder)
    found: dict[str, object] = {"files": len(sums), "began": time.time()}
    began = time.monotonic()
    made, folders = unpack(source)
    found["create"] = time.monotonic() - began
    found["sync"] = sync()
    if made != sums:
        raise OSError(5, "the source changed while it was unpacked")
    found["directories"] = len(folders)
    dropped = drop() if may_drop else False
    began = time.monotonic()
    seen = [os.lstat(f"{above}/{name}") for above, inner, files in os.walk(".") for name in inner + files]
    found["list"] = time.monotonic() - began
    if len(seen) != len(sums) + len(folders):
        raise OSError(5, "the listing differs from what was written")
    found["dropped"] = drop() and dropped if may_drop else False
    began = time.monotonic()
    for name, expected in sums.items():
        if _sum(partial(_opened, name)) != expected:
            raise OSError(5, f"{name} differs from what was written")
    found["read"] = time.monotonic() - began
    began = time.monotonic()
    for name in sums:
        os.unlink(name)  # noqa: PTH108
    for name in reversed(folders):
        os.rmdir(name)  # noqa: PTH106
    found["delete"] = time.monotonic() - began
    found["delete_sync"] = sync()
    found["ended"] = time.time()
    os.chdir("..")
    os.rmdir(folder)  # noqa: PTH106
    return found


def _sum(opened: Callable[[], IO[bytes] | None]) -> bytes:
    found = hashlib.sha256()
    with opened() as file:  # type: ignore[union-attr]
        while piece := file.read(_PIECE):
            found.update(piece)
    return found.digest()


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
    _, _files, _mean, _processes, _folder, _drop, *_tree = sys.argv
    try:
        if _tree:
            _found = main_tree(_tree[0], _folder, may_drop=_drop == "1")
        else:
            _found = main(int(_files), int(_mean), int(_processes), _folder, may_drop=_drop == "1")
    except OSError as _problem:
        sys.exit(f"small files: {_problem.strerror or _problem}")
    except (tarfile.TarError, EOFError, ValueError, zlib.error, lzma.LZMAError) as _problem:
        sys.exit(f"small files: {_tree[0] if _tree else 'argument'}: {_problem}")
    print(json.dumps(_found))
