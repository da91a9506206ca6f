"""`raidtui audit` on real md: what is planted is found, as root and without."""

from __future__ import annotations

import json

import pytest

from tests.lab.disk import lab_disks
from tests.lab.guest_raidtui import install
from tests.lab.image import Image
from tests.lab.quick import QuickMachine

pytestmark = pytest.mark.lab

MIB = 2**20
PLANTED = """
set -e
mkdir -p /etc/mdadm /srv/a; echo 'MAILADDR root' > /etc/mdadm/mdadm.conf
systemctl stop mdcheck_start.timer 2>/dev/null || true; rm -f /etc/cron.d/mdadm
mdadm --create /dev/md/a --level=5 -n4 -c64 --bitmap=none --metadata=1.2 --run $1 $2 $3 $4
mkfs.xfs -q -K -d noalign /dev/md/a; mount /dev/md/a /srv/a
mdadm --wait /dev/md/a || true
mdadm /dev/md/a --fail $2; mdadm /dev/md/a --remove $2
mdadm --create /dev/md9 --level=1 -n2 --metadata=0.90 --bitmap=none --run $5 $6; mdadm --wait /dev/md9 || true
udevadm settle; for n in 1 2 3 4 5; do mdadm --readonly /dev/md9 && break; sleep 1; done
mdadm --create /dev/md/other --homehost=elsewhere --level=5 -n3 --bitmap=none --run $7 $8 $9
mdadm --wait /dev/md/other || true; mdadm --stop /dev/md/other
shift 9
mdadm --create /dev/md/c --level=6 -n4 -x1 --bitmap=internal --run $1 $2 $3 $4 $5; mdadm --wait /dev/md/c || true
mdadm --detail --brief /dev/md/c >> /etc/mdadm/mdadm.conf
udevadm settle; systemctl stop mdmonitor.service
"""
EXPECTED = {
    ("array-degraded", "error"), ("array-stopped", "warning"), ("array-read-only", "warning"),
    ("member-dropped", "warning"), ("not-in-conf", "warning"), ("not-monitored", "warning"),
    ("check-not-scheduled", "warning"), ("stripe-geometry", "warning"), ("metadata-old", "note"),
    ("not-in-fstab", "note"), ("array-foreign", "note"),
}  # fmt: skip


def test_what_is_planted_on_real_md_is_found(lab_image: Image) -> None:
    with QuickMachine(lab_disks(14, bytes=256 * MIB), using=lab_image, sync_limit_kib=None) as vm:
        install(vm)
        paths = " ".join(vm.disk_path(serial) for serial in vm.serials)
        vm.check(f"set -- {paths}\n{PLANTED}", timeout=300)
        seen = vm.run("raidtui audit --json > /root/known.json; echo $?; cat /root/known.json", timeout=120)
        code, _, text = seen.stdout.partition("\n")
        found = json.loads(text)
        assert code == "1"
        assert {(each["code"], each["severity"]) for each in found["findings"]} >= EXPECTED
        about = {each["subject"] for each in found["findings"] if each["code"] in ("array-degraded", "not-in-conf")}
        assert not any("md/c" in subject or subject == "c" for subject in about)
        again = vm.run("raidtui audit --baseline /root/known.json --metrics /root/raid.prom --json", timeout=120)
        assert again.exit == 0, again.stderr
        assert (json.loads(again.stdout)["findings"], json.loads(again.stdout)["known"]) == (
            [], len(found["findings"]),
        )  # fmt: skip
        assert "raidtui_array_members_missing" in vm.check("cat /root/raid.prom").stdout
        nobody = vm.run("setpriv --reuid=65534 --clear-groups raidtui audit --json", timeout=120)
        assert nobody.stdout, nobody.stderr
        fewer = json.loads(nobody.stdout)
        assert {each["code"] for each in fewer["findings"]} >= {"array-degraded", "not-monitored", "stripe-geometry"}
