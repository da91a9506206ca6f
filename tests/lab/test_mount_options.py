"""Every mount option that is accepted, mounted by a real kernel, and what that shows of it."""

from __future__ import annotations

import shlex

import pytest

from raidtui.programs.mount import mounted_with_question
from raidtui.programs.mount_options import TABLE, parse, shown
from raidtui.values.choices import MADE_FILE_SYSTEMS
from tests.lab.disk import lab_disks
from tests.lab.image import Image
from tests.lab.quick import QuickMachine

pytestmark = pytest.mark.lab

VALUES = {
    "allocsize": ("64k", "512k", "1m", "512m", "1g"), "logbufs": ("2", "8"), "logbsize": ("256k",),
    "data": ("journal", "ordered", "writeback"), "commit": ("1", "5", "30", "300"),
    "errors": ("continue", "remount-ro", "panic"), "data_err": ("abort", "ignore"), "journal_ioprio": ("0", "7"),
    "barrier": ("1",), "min_batch_time": ("0", "100"), "max_batch_time": ("0", "15000", "20000"),
    "inode_readahead_blks": ("0", "1", "32", "4096"), "init_itable": ("0", "10", "20"),
    "max_dir_size_kb": ("0", "1000"), "resuid": ("0", "1000"), "resgid": ("0", "1000"),
}  # fmt: skip
BESIDE = {"journal_async_commit": ",data=writeback"}
LINE = "noatime,async,barrier=1,nodiscard,journal_async_commit,nodelalloc,data=writeback"
MKFS = {
    "xfs": "mkfs.xfs -q -K -d size=600m",
    "ext4": "mkfs.ext4 -q -b 4096 -O quota,project,metadata_csum -E nodiscard,quotatype=usrquota:grpquota:prjquota",
}


def test_each_option_mounts_and_the_kernel_shows_it_as_stated(lab_image: Image) -> None:
    with QuickMachine(lab_disks(2), using=lab_image) as vm:
        paths = {kind: vm.disk_path(serial) for kind, serial in zip(MADE_FILE_SYSTEMS, vm.serials, strict=True)}
        vm.check(f"mkdir /m; {MKFS['xfs']} {paths['xfs']}; {MKFS['ext4']} {paths['ext4']} 150000")
        tried = 0
        lines = ['fail() { echo "$1: $2"; }']
        for kind in MADE_FILE_SYSTEMS:
            texts = ["noatime", *([LINE] if kind == "ext4" else [])]
            for each in (each for each in TABLE if kind in each.types):
                texts += [
                    f"{each.name}{f'={value}' if value else ''}{BESIDE.get(each.name, '')}"
                    for value in VALUES.get(each.name, ("",))
                ]
            for text in texts:
                options = parse(text, kind)
                words = ",".join(option.text for option in options)
                asked = shlex.join(mounted_with_question("/m", shown(options, kind)))
                lines.append(
                    f"mount -t {kind} -o {words} {paths[kind]} /m || fail {words} 'no mount'\n"
                    f'{asked} > /dev/null || fail {words} "$(findmnt -no OPTIONS /m)"\numount /m'
                )
                tried += 1
        assert tried == 122
        assert vm.check("\n".join(lines), timeout=120).stdout == ""
