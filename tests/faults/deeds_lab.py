"""What people do in the virtual machine: each deed of `matrix_deeds` as a line of bash, and how it is taken back.

DISK is the stable path of the case's disk, ARRAY the array that has it (else the first), NODE a bystander's kernel
device, RUN the directory of the run, DATA the byte where the arrays' data start, LAST a byte 2 MiB before the end.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from raidtui.predict.design import predict
from raidtui.steps.build import compile_plan
from raidtui.values.codec import to_json
from raidtui.values.units import MIB, SECTOR
from tests.faults import deeds
from tests.faults.lab_machine import BYSTANDERS, DISK_BYTES
from tests.faults.scene import Moment, moment

if TYPE_CHECKING:
    from tests.faults.lab_case import Run

_TEXT = "yes 'data of its owner, recognised by nothing'"
_OPEN = (
    "setsid python3 -c \"import os, time; open('/proc/self/comm', 'w').write('rawowner'); os.open('WHAT', os.O_RDWR); "
    "open('/run/faults/up', 'w'); time.sleep(600)\" < /dev/null > /dev/null 2>&1 & "
    "for i in $(seq 200); do [ -e /run/faults/up ] && break; sleep 0.1; done"
)
_CLOSE = "pkill -x rawowner; rm -f /run/faults/up; sleep 0.2"
_KEEP = f"cp -p {deeds.FSTAB} /run/fstab.kept"
_MOVES = (
    "import os, time\\nwhile os.path.exists('/run/faults/moves'):\\n os.symlink('NODE', 'DISK.new')\\n "
    "os.rename('DISK.new', 'DISK')\\n time.sleep(0.01)"
)
"""again and again: udev, which has events of the disk to work off, puts the link back"""
_OUT = "mdadm --manage ARRAY --remove DISK && mdadm --zero-superblock DISK"
_DOWN = "umount /srv/data && vgchange -q -an data"
_WIPE_VOLUME = "wipefs -q --all /dev/data/data; blkdiscard -z -l 4194304 /dev/data/data; udevadm settle"
_BLANK = "blkdiscard -z -l 4194304 DISK; udevadm settle"
_ROOT = "/var/lib/raidtui"
DO = {
    "raw-start": f"{_TEXT} | head -c 64M | dd of=DISK bs=1M iflag=fullblock conv=fsync,notrunc status=none",
    "raw-data": f"{_TEXT} | head -c 1M | dd of=DISK bs=64k seek=DATA oflag=seek_bytes iflag=fullblock "
    "conv=fsync,notrunc status=none",
    "raw-end": f"{_TEXT} | head -c 1M | dd of=DISK bs=1M seek=LAST oflag=seek_bytes iflag=fullblock "
    "conv=fsync,notrunc status=none",
    "raw-middle": f"{_TEXT} | head -c 1M | dd of=DISK bs=1M seek=163 iflag=fullblock conv=fsync,notrunc status=none",
    "ciphertext": "cryptsetup open --type plain -c aes-xts-plain64 -s 256 -d /etc/machine-id -l 32 DISK secret "
    "2> /dev/null && dd if=/dev/zero of=/dev/mapper/secret bs=4M count=4 conv=fsync status=none && "
    "cryptsetup close secret || dd if=/dev/urandom of=DISK bs=1M conv=fsync,notrunc count=64 status=none",
    "open-disk": _OPEN.replace("WHAT", "DISK"),
    "open-array": _OPEN.replace("WHAT", "ARRAY"),
    "open-volume": _OPEN.replace("WHAT", "/dev/data/data"),
    "link": f'touch /run/faults/moves; printf "{_MOVES}" > /run/faults/moves.py; '
    "setsid python3 /run/faults/moves.py < /dev/null > /dev/null 2>&1 & sleep 1; readlink DISK",
    "mount-unit": f"printf '[Mount]\\nWhat=tmpfs\\nWhere=/srv/data\\nType=tmpfs\\n' > {deeds.UNIT}; "
    "systemctl daemon-reload",
    "mount-unit-masked": f"ln -s /dev/null {deeds.UNIT}; systemctl daemon-reload",
    "conf-arrays-gone": f"sed -i '/raidtui/,/raidtui/d' {deeds.CONF}",
    "fstab-block-gone": f"sed -i '/raidtui/,/raidtui/d' {deeds.FSTAB}",
    "fstab-options": f"{_KEEP}; "
    f"sed -i '/ .srv.data /s/noatime/ro/' {deeds.FSTAB}; grep -q ' .srv.data xfs ro' {deeds.FSTAB}",
    "group-renamed": "vgrename -q data users",
    "bind-mount": "mkdir -p /mnt/other; mount --bind /srv/data /mnt/other",
    "loop-file": "truncate -s 8M /srv/data/image; losetup /dev/loop6 /srv/data/image",
    "mapper": "dmsetup create cache0 --table '0 8192 linear /dev/data/data 0'",
    "volume-luks": "echo secret | cryptsetup luksFormat -q --pbkdf pbkdf2 --pbkdf-force-iterations 1000 "
    "/dev/data/data -",
    "volume-ext4": "mkfs.ext4 -q -E nodiscard /dev/data/data",
    "volume-swap": "mkswap -q /dev/data/data && swapon /dev/data/data",
    "volume-pv": "pvcreate -q --config devices/scan_lvs=1 /dev/data/data && "
    "vgcreate -q --config devices/scan_lvs=1 tank /dev/data/data",
    "volume-gpt": "echo label: gpt | sfdisk -q /dev/data/data",
    "volume-raw": f"{_TEXT} | head -c 64k | dd of=/dev/data/data bs=4k conv=fsync status=none",
    "array-pv": "pvcreate -q ARRAY && vgcreate -q tank ARRAY",
    "volume-taken": "mkfs.ext4 -q -E nodiscard /dev/data/data",
    "spare-out-raw": f"{_OUT} && {_TEXT} | head -c 64M | dd of=DISK bs=1M iflag=fullblock conv=fsync status=none",
    "member-out-raw": f"mdadm --manage ARRAY --fail DISK; sleep 1; {_OUT} && {_TEXT} | head -c 64M | "
    "dd of=DISK bs=1M iflag=fullblock conv=fsync status=none",
    "spare-out-xfs": f"{_OUT} && mkfs.xfs -q -K DISK",
    "spare-to-other": f"{_OUT} && mdadm -C /dev/md/other -l1 -n2 --bitmap=none --run DISK missing",
    "member-failed": "mdadm --manage ARRAY --fail DISK",
    "member-removed": "mdadm --manage ARRAY --fail DISK; sleep 1; mdadm --manage ARRAY --remove DISK",
    "unmounted": "umount /srv/data",
    "deactivated": _DOWN,
    "stopped-by-hand": f"{_DOWN} && mdadm --stop FIRST && mdadm --stop SECOND",
    "link-renamed": f"{_DOWN} && mdadm --stop FIRST && mdadm --assemble --run /dev/md/other --uuid=UUID",
    "array-renamed": f"{_DOWN} && mdadm --stop FIRST && mdadm --assemble --run FIRST --uuid=UUID --update=name "
    "--name=theirs",
    "pulled": "echo 1 > /sys/block/$(basename $(readlink -f DISK))/device/delete",
    "name-taken": "truncate -s 16M /run/loop; losetup /dev/loop6 /run/loop; "
    "mdadm -C SECOND -l1 -n2 --bitmap=none --run /dev/loop6 missing",
    "disks-in-other-array": "mdadm -C /dev/md/other -l1 -n2 --bitmap=none --run DISK missing",
    "spare-in-other-array": "mdadm -C /dev/md/other -l1 -n2 --bitmap=none --run DISK missing",
    "spare-in-other-group": "pvcreate -q DISK && vgcreate -q other DISK && lvcreate -q -l1 -n some other",
    "formatted": "mkfs.xfs -q -K DISK",
    "root-open": f"install -d -m 777 {_ROOT}",
    "root-of-another": f"install -d -m 755 -o nobody {_ROOT}",
    "root-a-link": f"install -d -m 755 -o nobody /var/lib/elsewhere; rm -rf {_ROOT}; ln -s elsewhere {_ROOT}",
    "lock-a-directory": "rm -f /run/raidtui.lock; mkdir /run/raidtui.lock",
    "lock-a-fifo": "rm -f /run/raidtui.lock; mkfifo /run/raidtui.lock",
    "run-prepared": f"install -d -m 700 {_ROOT} RUN",
    "plan-swapped": "cp -p RUN/plan.json /run/plan.kept; cat /run/other.json > RUN/plan.json",
    "plan-a-link": "mv RUN/plan.json /run/plan.kept; ln -s /run/plan.kept RUN/plan.json",
    "run-open": "chmod 777 RUN",
}
TIDY = {
    "fstab-options": f"cat /run/fstab.kept > {deeds.FSTAB}",
    **dict.fromkeys(("open-disk", "open-array", "open-volume"), _CLOSE),
    "link": "rm /run/faults/moves; sleep 1; udevadm trigger --settle --subsystem-match=block",
    "group-renamed": "vgrename -q users data",
    "bind-mount": "umount /mnt/other",
    "loop-file": "losetup -d /dev/loop6; rm /srv/data/image; sync",
    "mapper": "dmsetup remove cache0",
    "volume-swap": f"swapoff /dev/data/data; {_WIPE_VOLUME}",
    **dict.fromkeys(
        ("volume-luks", "volume-ext4", "volume-pv", "volume-gpt", "volume-raw", "volume-taken"), _WIPE_VOLUME
    ),
    "array-pv": "vgremove -q -f tank; pvremove -q ARRAY",
    "name-taken": "mdadm --stop SECOND; losetup -d /dev/loop6; rm /run/loop",
    "disks-in-other-array": f"mdadm --stop /dev/md/other; mdadm --zero-superblock DISK; {_BLANK}",
    "spare-in-other-array": f"mdadm --stop /dev/md/other; mdadm --zero-superblock DISK; {_BLANK}",
    "spare-in-other-group": f"vgremove -q -f other; pvremove -q DISK; {_BLANK}",
    "plan-swapped": "cat /run/plan.kept > RUN/plan.json",
    "plan-a-link": "rm RUN/plan.json; mv /run/plan.kept RUN/plan.json",
    "run-open": "chmod 700 RUN",
}


def inject(run: Run) -> None:
    """Arms the deed for its moment, or does it now."""
    case = run.case
    if case.step == "apply":
        do(run)
    elif case.when == "stopped":
        where = moment(run.plan, case.step)
        run.hooks.append(("after", "step", where.step, 0, "kill"))
    elif case.step.startswith("S"):
        _call(run, moment(run.plan, case.step), case.when or "step")


def after_the_build(run: Run) -> None:
    """Deeds that come after the first executor's end, and those while an undo begins."""
    case = run.case
    if case.step == "undo":
        _call(run, Moment(step=0, action=0, argv=()), "begun")
        run.execute("undo")
    elif case.step == "done" or case.when == "stopped":
        do(run)


def _call(run: Run, where: Moment, kind: str) -> None:
    """The executor stands still while the host does it."""
    run.lab.called = lambda: do(run)
    kind = "step" if where.action == 0 and kind == "intent" else kind
    run.hooks.append(("after", kind, where.step, where.action if kind == "intent" else 0, "host"))


def before_planning(run: Run, path: str) -> None:
    """Does the deed to a disk that no plan was made for yet."""
    last = str(DISK_BYTES - 2 * MIB)
    run.lab.vm.check(DO[run.case.detail].replace("DISK", path).replace("LAST", last), timeout=200)


def do(run: Run) -> None:
    """Does the deed now, and notes the proof."""
    case, vm = run.case, run.lab.vm
    if case.detail == "plan-swapped":
        vm.put("/run/other.json", f"{_another(run)}\n".encode(), 0o600)
    if case.detail in deeds.LINES:
        path, line = _line(run)
        vm.check(f"mkdir -p $(dirname {path}); touch {path}; echo '{line}' | cat - {path} > /run/x")
        vm.check(f"cat /run/x > {path}")
    else:
        vm.check(_script(run, DO[case.detail]), timeout=200)
    run.fired.append(f"{case.detail} {run.serial if case.disk else ''}".strip())
    if case.kept:
        vm.check("udevadm settle --timeout=5; true")
        run.kept = (run.serial, vm.hash_disks([run.serial])[run.serial])


def tidy(run: Run) -> None:
    """Whoever did the deed takes it back."""
    case, vm = run.case, run.lab.vm
    if case.detail in deeds.LINES:
        path, line = _line(run)
        vm.check(f"grep -vxF -- '{line}' {path} > /run/x; cat /run/x > {path}")
    elif case.detail.startswith("mount-unit"):
        vm.check(f"rm {deeds.UNIT}; systemctl daemon-reload")
    else:
        vm.check(_script(run, TIDY[case.detail]), timeout=200)


def _line(run: Run) -> tuple[str, str]:
    path, line = deeds.LINES[run.case.detail]
    return path, line.format(uuid=run.plan.arrays[0].uuid)


def _script(run: Run, text: str) -> str:
    plan, case = run.plan, run.case
    first, second = (array.device for array in plan.arrays[:2])
    vm = run.lab.vm
    node = vm.check(["readlink", "-f", vm.disk_path(BYSTANDERS[0])]).stdout.strip() if "NODE" in text else ""
    disk = next(disk.path for disk in plan.disks if disk.serial == run.serial) if "DISK" in text else ""
    words = {
        "DISK": disk, "ARRAY": second if case.disk == "member-b" else first, "FIRST": first, "SECOND": second,
        "NODE": node, "RUN": f"{_ROOT}/{plan.run_id}", "UUID": plan.arrays[0].uuid,
        "DATA": str(plan.prediction.arrays[0].data_offset_sectors * SECTOR), "LAST": str(DISK_BYTES - 2 * MIB),
    }  # fmt: skip
    for word, value in words.items():
        text = text.replace(word, value)
    return text


def _another(run: Run) -> str:
    """A genuine plan with the id of the run, for another place."""
    plan, found = run.plan, run.found
    known = {disk.id: disk for disk in found.disks}
    taken = [known[disk.id] for disk in plan.disks]
    made = compile_plan(
        plan.design, found, taken, predict(plan.design, taken), run_id=hashlib.md5(run.case.id.encode()).hexdigest(),
        name="data", mount_point="/srv/elsewhere", host=found.name,
    )  # fmt: skip
    return to_json(made)
