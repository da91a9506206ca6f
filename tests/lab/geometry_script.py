"""The script that builds one case in the guest and prints, in `@@` sections, what came of it."""

from __future__ import annotations

import shlex

from tests.lab.geometry_cases import Case, FileSystem

SHOW_ARRAY = """
show_array() {  # array, first member
    echo "@@array"; mdadm --detail $1
    echo "@@sysfs"
    q=/sys/block/${1##*/}
    [ ! -w $q/md/stripe_cache_size ] || echo 2048 > $q/md/stripe_cache_size  # mkfs writes whole stripes
    cat $q/size $q/queue/minimum_io_size $q/queue/optimal_io_size $q/queue/read_ahead_kb $q/md/component_size
    echo "@@examine"; mdadm --examine $2
    echo "@@bitmap"; mdadm --examine-bitmap $2 2>/dev/null || true
}
"""


def _create(device: str, case: Case, members: list[str]) -> str:
    argv = ["mdadm", "--create", device, "--run", "--force", f"--level={case.level.removeprefix('raid')}"]
    argv += ["-n", str(len(members) - case.spares)]
    argv += ["-c", str(case.chunk_kib)] if case.chunk_kib else []
    argv += ["-x", str(case.spares)] if case.spares else []
    argv += [f"--layout={case.layout}"] if case.layout else []
    if case.consistency_policy:
        argv.append(f"--consistency-policy={case.consistency_policy}")
    elif case.bitmap != "default" and case.level != "raid0":
        argv.append(f"--bitmap={case.bitmap}")
    argv += [f"--bitmap-chunk={case.bitmap_chunk_kib}K"] if case.bitmap_chunk_kib else []
    argv += [f"--data-offset={case.data_offset_kib}K"] if case.data_offset_kib else []
    argv.append(f"--metadata={case.metadata}")
    argv += ["--assume-clean"] if case.level != "raid0" else []
    return shlex.join([*argv, *members])


def build_script(case: Case, members: list[list[str]]) -> tuple[str, list[str]]:
    """The bash script, and its commands that change something, in order."""
    devices = [f"/dev/md{100 + number}" for number in range(case.stack.arrays)]
    commands = [_create(d, case, m) for d, m in zip(devices, members, strict=True)]
    shows = [f"show_array {d} {shlex.quote(m[0])}" for d, m in zip(devices, members, strict=True)]
    lines = ["set -e", SHOW_ARRAY]
    for command, show in zip(commands, shows, strict=True):
        lines += [f"{command} >&2", show]
    stack, volume = case.stack, devices[0]
    if stack.kind == "md":
        volume = "/dev/md200"
        argv = ["mdadm", "--create", volume, "--run", "--level=0", "-n", str(stack.arrays)]
        offset = [f"--data-offset={stack.data_offset_kib}K"] if stack.data_offset_kib else []
        commands.append(shlex.join([*argv, "-c", str(stack.stripe_kib), "--metadata=1.2", *offset, *devices]))
        lines += [f"{commands[-1]} >&2", f"show_array {volume} {devices[0]}"]
    elif stack.kind == "lvm":
        volume = "/dev/vgm/lvm"
        align = f"--dataalignment {stack.data_alignment_kib}k " if stack.data_alignment_kib else ""
        stripes = f"-i {stack.arrays} -I {stack.stripe_kib}k"
        made = [
            f"pvcreate -qq -y {align}{' '.join(devices)}",
            f"vgcreate -qq -s {stack.extent_kib}k vgm {' '.join(devices)}",
        ]
        made.append(f"lvcreate -qq -y -Wn -Zn {stripes} -l 100%FREE -n lvm vgm")
        commands += made
        lines += [f"{command} >&2" for command in made]
        show = "--noheadings --units b --nosuffix --separator ' '"
        lines += [
            "echo @@lvm",
            f"pvs {show} -o pe_start,pv_pe_count",
            "echo @volume",
            f"lvs {show} -o lv_size,seg_count vgm",
        ]
        lines.append("q=/sys/block/$(basename $(readlink -f /dev/vgm/lvm))")
        lines.append("cat $q/size $q/queue/minimum_io_size $q/queue/optimal_io_size")
    if case.fs.type != "none":
        commands.append(_mkfs(case.fs, volume))
        lines += ["echo @@mkfs", commands[-1]]
        option = ""
        if case.fs.type == "ext4":
            lines.append(f"dumpe2fs -h {volume} 2>/dev/null")
            option = "-o noinit_itable "
        lines += [f"mount {option}{volume} /mnt/m", "echo @@statfs", "stat -f -c '%b %f %a %S' /mnt/m"]
    return "\n".join(lines), commands


def _mkfs(fs: FileSystem, device: str) -> str:
    if fs.type == "xfs":
        size = f"-d su={fs.su_kib}k,sw={fs.sw} " if fs.su_kib else ""
        return f"mkfs.xfs -f -K {size}{device}"
    options = "nodiscard,lazy_itable_init=1,lazy_journal_init=1"
    if fs.su_kib and fs.sw:
        options += f",stride={fs.su_kib // 4},stripe_width={fs.su_kib // 4 * fs.sw}"
    return f"mkfs.ext4 -q -F -E {options} {device}"
