"""fstab, systemd, udev rule, initramfs: short commands and the text that programs read."""

from raidtui.programs import initramfs, mount, systemd, udev
from raidtui.values.plan import Command


def test_a_line_of_fstab() -> None:
    options = "noatime,nofail,x-systemd.device-timeout=5min"
    assert mount.line("U", "/srv/data", "xfs") == f"UUID=U /srv/data xfs {options} 0 0"
    assert mount.line("U", "/srv/data", "ext4") == f"UUID=U /srv/data ext4 {options} 0 2"


def test_mounting() -> None:
    assert mount.make_directory("/srv/data", 0o700).argv == ("install", "--directory", "--mode=0700", "/srv/data")
    assert mount.mount("/srv/data") == Command(argv=("mount", "/srv/data"), effect="change", retry="while busy")
    assert mount.mount_device("/dev/md/a", "/srv/data", "xfs") == Command(
        argv=("mount", "--types=xfs", "--options=noatime,nodev,nosuid,noexec", "/dev/md/a", "/srv/data"),
        effect="change", devices=("/dev/md/a",), retry="while busy",
    )  # fmt: skip
    assert mount.umount("/srv/data") == Command(argv=("umount", "/srv/data"), effect="change", retry="while busy")
    assert mount.space_question("/srv/data") == ("stat", "--file-system", "--format=%S %b", "/srv/data")


def test_units() -> None:
    assert systemd.restart(systemd.MONITOR).argv == ("systemctl", "restart", "mdmonitor.service")
    assert systemd.try_restart("a.service").argv == ("systemctl", "try-restart", "a.service")
    assert systemd.enable("a.service").argv == ("systemctl", "enable", "a.service")
    assert systemd.active_question("a.service") == ("systemctl", "is-active", "a.service")
    assert systemd.daemon_reload().argv == ("systemctl", "daemon-reload")
    assert systemd.settle().argv == ("udevadm", "settle", "--timeout=180")


def test_a_rule_names_an_array_by_uuid() -> None:
    tuned = udev.ArrayTuning(uuid="0:1:2:3", read_ahead_kib=6144, stripe_cache_entries=1024, sync_speed_min_kib=10000)
    front = 'SUBSYSTEM=="block", KERNEL=="md*", ACTION=="add|change", ENV{MD_UUID}=="0:1:2:3", '
    assert udev.line(tuned) == (
        front + 'ATTR{queue/read_ahead_kb}="6144", ATTR{md/stripe_cache_size}="1024", ATTR{md/sync_speed_min}="10000"'
    )
    plain = udev.ArrayTuning(uuid="0:1:2:3", read_ahead_kib=1024)
    assert udev.line(plain) == front + 'ATTR{queue/read_ahead_kb}="1024"'
    assert udev.path("data") == "/etc/udev/rules.d/90-raidtui-data.rules"


def test_a_rule_has_a_degraded_array_started_at_boot() -> None:
    assert udev.start_line("bd2ba126:c237f957:b211df73:d7012c1c") == (
        'SUBSYSTEM=="block", ACTION=="add", ENV{ID_FS_TYPE}=="linux_raid_member", '
        'ENV{ID_FS_UUID}=="bd2ba126-c237-f957-b211-df73d7012c1c", PROGRAM=="/usr/bin/ls /sys%p/holders", '
        'RESULT=="md*", ENV{SYSTEMD_WANTS}+="mdadm-last-resort@%c{1}.timer"'
    )


def test_families_of_distributions() -> None:
    assert (initramfs.rebuild("debian").argv, initramfs.mdadm_conf("debian")) == (
        ("update-initramfs", "-u"),
        "/etc/mdadm/mdadm.conf",
    )
    assert (initramfs.rebuild("dracut").argv, initramfs.mdadm_conf("dracut")) == (
        ("dracut", "--force", "--mdadmconf"),
        "/etc/mdadm.conf",
    )
