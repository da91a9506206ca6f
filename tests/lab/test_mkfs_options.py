"""Every option of mkfs that is accepted: made by a plan's command, read back by its questions, mounted."""

from __future__ import annotations

import json
import shlex

import pytest

from raidtui.programs import mkfs_ext4, mkfs_xfs
from raidtui.programs.mkfs_options import FEATURES, WORDS, parse_mkfs
from raidtui.sizes.ext4 import planned_ext4
from raidtui.sizes.xfs import xfs_geometry
from raidtui.values.design import XfsOptions
from tests.lab.disk import lab_disks
from tests.lab.image import Image
from tests.lab.quick import QuickMachine

pytestmark = pytest.mark.lab

SIZE = 4 * 2**30
UUID = "01234567-89ab-4def-8123-456789abcdef"
WORDS_OF_XFS = (
    "block=1K", "block=2K,inode=1K", "sector=512", "sector=2K", "inode=512", "inode=2K", "maxpct=7", "reflink=0",
    "rmapbt=1", "bigtime=0", "bigtime=1", "finobt=0", "inobtcount=0", "sparse=0", "sparse=1,inode=1K", "nrext64=1",
    "nrext64=0", "agcount=7", "agsize=512M", "log=128M", "log_su=32K", "log_su=256K", "directory=64K", "cowextsize=64",
    "extszinherit=16", "block=2K,directory=8K,sparse=1,extszinherit=4,cowextsize=8,nrext64=1,maxpct=90,rmapbt=1",
)  # fmt: skip
WORDS_OF_EXT4 = (
    "block=1K", "reserved=0.5%", "inode_ratio=64K", "inodes=99999", "inode=128", "inode=1K",
    "quota=user:group:project", "lazy_itable_init=0", "lazy_journal_init=1", "journal=200M", "flex_bg=2",
    "flex_bg=1024", "packed_meta_blocks=1", *(f"features={name}" for name in FEATURES if name != "mmp"),
    f"features={':'.join(FEATURES)},quota=project",
)  # fmt: skip
RUN = """
import json, subprocess
for name, make, mount, asked in json.load(open("/root/cases")):
    for command in (make, mount, ["umount", "/m"]):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            print(name, command[0], done.stderr[-200:])
            break
    for question, answers in asked:
        lines = subprocess.run(question, capture_output=True, text=True).stdout.splitlines()
        pairs = [line.replace(" = ", ": ", 1).partition(":") for line in lines]
        said = {key.strip(): value.strip() for key, _, value in pairs}
        for key, value in answers:
            if said.get(key) != value:
                print(name, key, value, said.get(key))
    subprocess.run(["wipefs", "-qa", make[-1] if make[0] == "mkfs.xfs" else make[-2]])
"""


def test_each_word_is_made_read_back_and_mounted(lab_image: Image) -> None:
    stripe = {"sunit_bytes": 65536, "stripe_width": 3}
    with QuickMachine(lab_disks(2, bytes=SIZE), using=lab_image) as vm:
        device, other = (vm.disk_path(serial) for serial in vm.serials)
        cases = []
        for text in WORDS_OF_XFS:
            xfs = parse_mkfs(text, "xfs")
            assert isinstance(xfs, XfsOptions)
            shape = xfs_geometry(SIZE, **stripe, sector_bytes=512, options=xfs)
            asked = [
                (mkfs_xfs.geometry_question(device), mkfs_xfs.geometry_answers(shape)),
                (mkfs_xfs.feature_question(device), mkfs_xfs.feature_answers(xfs)),
                (mkfs_xfs.option_question(device), mkfs_xfs.option_answers(xfs)),
            ]
            cases.append((text, mkfs_xfs.mkfs(device, UUID, shape, xfs).argv, ["mount", device, "/m"], asked))
        for text in WORDS_OF_EXT4:
            ext4 = parse_mkfs(text, "ext4")
            assert not isinstance(ext4, XfsOptions)
            made = planned_ext4(SIZE, **stripe, options=ext4)
            answers = [(mkfs_ext4.geometry_question(other), mkfs_ext4.geometry_answers(made, ext4))]
            cases.append((text, mkfs_ext4.mkfs(other, UUID, made, ext4).argv, ["mount", other, "/m"], answers))
        vm.put("/root/cases", json.dumps(cases).encode())
        assert vm.check(f"mkdir -p /m; python3 -c {shlex.quote(RUN)}", timeout=300).stdout == ""
    for kind, texts in (("xfs", WORDS_OF_XFS), ("ext4", WORDS_OF_EXT4)):
        tried = {word.partition("=")[0] for text in texts for word in text.split(",")}
        assert tried == {word.name for word in WORDS["xfs" if kind == "xfs" else "ext4"]}
