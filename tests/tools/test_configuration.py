"""fstab, systemd, udev rule, initramfs: short commands and the text that programs read."""

from raidtui.programs import initramfs


def test_families_of_distributions() -> None:
    assert (initramfs.rebuild("debian").argv, initramfs.mdadm_conf("debian")) == (
        ("update-initramfs", "-u"),
        "/etc/mdadm/mdadm.conf",
    )
    assert (initramfs.rebuild("dracut").argv, initramfs.mdadm_conf("dracut")) == (
        ("dracut", "--force", "--mdadmconf"),
        "/etc/mdadm.conf",
    )
