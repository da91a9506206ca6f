"""What of a machine's boot configuration refuses a build, what warns, and what a finished build must show."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from raidtui.advice.boot.configuration import asks_for_names
from raidtui.advice.boot.next_boot import check_boot, planned_arrays
from raidtui.programs import mdadm_conf
from raidtui.values.facts import Boot, Configuration, DeviceNames, Image, MultipathBoot, TextFile
from raidtui.values.plan import Plan
from tests.planner.plans import disks, machine, plan_of
from tests.planner.ready import SEATED, facts

PLAN = plan_of("raid1(2)", SEATED[:2], inventory=machine(*SEATED))
NESTED = plan_of("2x(2+2)", disks(8), stack="md")
UUID = PLAN.arrays[0].uuid
CONF = "/etc/mdadm/mdadm.conf"
ASSEMBLY = TextFile(
    path="/usr/lib/udev/rules.d/64-md-raid-assembly.rules",
    text='IMPORT{program}="/sbin/mdadm --incremental --export $devnode --offroot $env{DEVLINKS}"\n',
)
ARRAYS = TextFile(path="/usr/lib/udev/rules.d/63-md-raid-arrays.rules", text='IMPORT{program}="/sbin/mdadm --detail"\n')
NAMES = tuple(
    DeviceNames(id=disk.id, name=f"/dev/sd{letter}", links=(disk.path,))
    for disk, letter in zip(PLAN.disks, "ab", strict=True)
)
LINE = f"ARRAY {PLAN.arrays[0].device} metadata=1.2 UUID={UUID}\n"
MDADM = TextFile(path="/usr/sbin/mdadm", text="")
RUNNING = "6.1.0-28-amd64"


def files(*found: TextFile) -> Configuration:
    """mdadm.conf as it was read."""
    return Configuration(files=found)


def boot(conf: str = "", **more: Any) -> Boot:
    """A machine as it is installed, but for what is said."""
    fresh = Boot(
        configuration=files(TextFile(path=CONF, text=f"HOMEHOST <system>\n{conf}")), rules=(ASSEMBLY, ARRAYS),
        command_line="root=/dev/sda1 ro quiet", devices=NAMES, kernel=RUNNING,
    )  # fmt: skip
    return replace(fresh, **more)


def image(conf: str, kernel: str = RUNNING, **more: Any) -> Image:
    """An image with mdadm and its configuration."""
    files = (MDADM, TextFile(path=CONF, text=conf))
    return replace(Image(path=f"/boot/initrd.img-{kernel}", kernel=kernel, files=files), **more)


def said(seen: Boot, *, built: bool = False) -> list[tuple[str, str, str]]:
    """Severity, code and message of every finding; each has a way out."""
    findings = tuple(check_boot(planned_arrays(PLAN, built=built), seen))
    assert all(finding.way_out for finding in findings)
    return [(finding.severity, finding.code, finding.message) for finding in findings]


def test_a_machine_as_it_is_installed_has_no_findings() -> None:
    assert said(boot()) == []


def test_a_device_line_that_leaves_a_disk_out_refuses_with_file_line_and_disks() -> None:
    ((severity, code, message),) = said(boot("# a comment\nDEVICE /dev/nvme*\n"))
    assert (severity, code) == ("error", "device-line")
    assert message == (
        "/etc/mdadm/mdadm.conf line 3: 'DEVICE /dev/nvme*' does not allow /dev/sda (slot 1, serial S001), "
        "/dev/sdb (slot 2, serial S002) of /dev/md/data: mdadm would not assemble these at boot."
    )


@pytest.mark.parametrize(
    "line", ["DEVICE partitions", "DEVICE /dev/sd*", "DEVICE /dev/nvme*\nDEVICE /dev/sd*", "DEVICE"]
)
def test_a_device_line_that_covers_them_is_fine(line: str) -> None:
    assert said(boot(f"{line}\n")) == []


def test_a_device_line_by_the_names_of_this_boot_warns() -> None:
    ((severity, code, message),) = said(boot("DEVICE /dev/sda /dev/sdb\n"))
    assert (severity, code) == ("warning", "device-line-names")
    assert "'DEVICE /dev/sda /dev/sdb' allows /dev/sda" in message


def test_a_file_of_the_directory_counts_too() -> None:
    file = TextFile(path=f"{CONF}.d/site.conf", text="dev /dev/nvme*\n")
    ((_, code, message),) = said(boot(configuration=files(*boot().configuration.files, file)))
    assert code == "device-line" and message.startswith("/etc/mdadm/mdadm.conf.d/site.conf line 1: ")


def test_the_arrays_below_a_stripe_must_be_allowed_too() -> None:
    """The outer array's members are md devices: /dev/sd* does not name them."""
    devices = tuple(
        DeviceNames(id=disk.id, name=f"/dev/sd{letter}", links=(disk.path,))
        for disk, letter in zip(NESTED.disks, "abcdefgh", strict=True)
    )
    inner = tuple(DeviceNames(id=path, name="/dev/md127", links=(path,)) for path in NESTED.arrays[-1].members)
    seen = boot("DEVICE /dev/sd*\n", devices=(*devices, *inner))
    (finding,) = check_boot(planned_arrays(NESTED, built=False), seen)
    assert finding.code == "device-line"
    assert "does not allow /dev/md127, /dev/md127 of /dev/md/data: mdadm" in finding.message
    assert (
        list(
            check_boot(
                planned_arrays(NESTED, built=False), replace(boot("DEVICE /dev/sd* /dev/md*\n"), devices=seen.devices)
            )
        )
        == []
    )


def test_names_are_asked_for_only_where_a_line_has_some() -> None:
    assert not asks_for_names((TextFile(path=CONF, text="HOMEHOST <system>\nDEVICE partitions\n" + LINE),))
    assert asks_for_names((TextFile(path=CONF, text="DEVICE /dev/sd*\n"),))
    assert asks_for_names((TextFile(path=CONF, text="ARRAY <ignore> devices=/dev/sd*\n"),))


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("ARRAY <ignore> devices=/dev/sd*", "makes mdadm ignore /dev/md/data"),
        ("ARRAY /dev/md/old devices=/dev/sda,/dev/sdq", "is a second match for /dev/md/data"),
    ],
)
def test_an_array_line_of_others_that_fits_ours_refuses(line: str, words: str) -> None:
    ((severity, code, message),) = said(boot(f"{line}\n"))
    assert (severity, code) == ("error", "array-line-conflict")
    assert words in message and message.startswith("/etc/mdadm/mdadm.conf line 2: 'ARRAY ")


def test_after_the_build_the_line_is_there_once() -> None:
    fine = {"images": (image(LINE),), "found": frozenset({UUID})}
    assert said(boot(LINE, **fine), built=True) == []
    assert [code for _, code, _ in said(boot("", **fine), built=True)] == ["array-line-missing"]
    ((_, code, message),) = said(boot(f"{LINE}ARRAY /dev/md/data UUID={UUID}\n", **fine), built=True)
    assert (code, "is a second match for" in message, "line 3" in message) == ("array-line-conflict", True, True)
    other = "ARRAY data UUID=00000000:00000000:00000000:00000001\n"
    assert [code for _, code, _ in said(boot(LINE + other, **fine), built=True)] == ["array-name-taken"]


def test_a_name_that_a_file_of_the_directory_has_taken() -> None:
    other = TextFile(path=f"{CONF}.d/a.conf", text="ARRAY /dev/md/data UUID=00000000:00000000:00000000:00000001\n")
    assert [code for _, code, _ in said(boot(configuration=files(*boot().configuration.files, other)))] == [
        "array-name-taken"
    ]


def test_the_arrays_that_mdadm_finds_are_all_of_the_plan() -> None:
    ((severity, code, message),) = said(boot(LINE, images=(image(LINE),), found=frozenset()), built=True)
    assert (severity, code) == ("error", "boot-finds-no-array")
    assert "does not find /dev/md/data" in message


def test_lines_without_influence_on_named_arrays_are_notes() -> None:
    assert [(severity, code) for severity, code, _ in said(boot("AUTO -all\n"))] == [("note", "auto-line")]
    assert said(boot("AUTO +1.x -all\n")) == []
    other = TextFile(path=CONF, text="HOMEHOST elsewhere\n")
    assert [(severity, code) for severity, code, _ in said(boot(configuration=files(other)))] == [
        ("note", "homehost-line")
    ]
    for line in ("HOMEHOST <ignore>\n", f"HOMEHOST {PLAN.host}\n"):
        assert said(boot(configuration=files(TextFile(path=CONF, text=line)))) == []


def test_a_policy_that_takes_bare_disks_warns() -> None:
    found = said(boot("POLICY domain=all action=spare-same-slot\nPOLICY domain=x action=include\n"))
    assert [(severity, code) for severity, code, _ in found] == [("warning", "policy-line")]


OTHER = "/etc/mdadm.conf"
SHOWN = "by the order of both places in /sbin/mdadm"


def both(other: str, first: str = "", why: str = SHOWN, **more: Any) -> Configuration:
    """A file at each place."""
    found = (*boot().configuration.files, TextFile(path=OTHER, text=other))
    return Configuration(files=found, first=first, why=why, **more)


def test_the_mdadm_conf_that_is_not_read_is_named() -> None:
    """Debian's mdadm up to 12 prefers /etc/mdadm/mdadm.conf, from 13 on /etc/mdadm.conf."""
    assert said(boot(configuration=both("HOMEHOST x\n", CONF))) == [
        (
            "warning", "mdadm-conf-twice",
            "/etc/mdadm.conf exists beside /etc/mdadm/mdadm.conf: this machine's mdadm reads only "
            "/etc/mdadm/mdadm.conf (by the order of both places in /sbin/mdadm).",
        )
    ]  # fmt: skip
    assert said(boot(configuration=both("HOMEHOST x\n", OTHER))) == [
        (
            "error", "mdadm-conf-elsewhere",
            "This machine's mdadm reads /etc/mdadm.conf and not /etc/mdadm/mdadm.conf, which the plan writes (by the "
            "order of both places in /sbin/mdadm).",
        ),
        (
            "note", "homehost-line",
            "/etc/mdadm.conf line 1: HOMEHOST is x, the arrays are made for host; their names at boot come from the "
            "plan's ARRAY lines.",
        ),
    ]  # fmt: skip


def test_a_build_is_refused_where_it_is_not_known_which_mdadm_conf_is_read() -> None:
    found = said(boot(configuration=both("DEVICE /dev/nvme*\n", why="/sbin/mdadm does not show its order")))
    assert found[0] == (
        "error", "mdadm-conf-unclear",
        "/etc/mdadm/mdadm.conf and /etc/mdadm.conf are both there. This machine's mdadm reads one of them alone; "
        "which one is not known: /sbin/mdadm does not show its order.",
    )  # fmt: skip
    assert [code for _, code, _ in found[1:]] == ["device-line"]  # either may be read: both are judged


def test_one_file_at_both_places() -> None:
    assert said(boot(configuration=both("HOMEHOST <system>\n", OTHER, one_file=True))) == []
    copy = both("HOMEHOST <system>\n", OTHER)
    assert [code for _, code, _ in said(boot(configuration=copy))] == ["mdadm-conf-elsewhere"]


def test_a_file_at_the_other_place_alone() -> None:
    message = (  # Debian's mdadm would go on reading its own file, Fedora's take the new one
        "mdadm uses /etc/mdadm.conf on this machine, the plan writes /etc/mdadm/mdadm.conf: it would read only one of "
        "them."
    )
    other = files(TextFile(path=OTHER, text="HOMEHOST <system>\n"))
    assert said(boot(configuration=other)) == [("error", "mdadm-conf-elsewhere", message)]


def test_the_directory_of_the_place_that_is_not_read_counts_for_nothing() -> None:
    barred = TextFile(path=f"{OTHER}.d/site.conf", text="DEVICE /dev/nvme*\n")
    assert said(boot(configuration=files(*boot().configuration.files, barred))) == []
    elsewhere = replace(both("HOMEHOST <system>\n", CONF), files=(*both("HOMEHOST <system>\n").files, barred))
    assert said(boot(configuration=elsewhere)) == []


def test_masked_and_replaced_rules() -> None:
    mask = TextFile(path="/etc/udev/rules.d/64-md-raid-assembly.rules", text="")
    ((severity, code, message),) = said(boot(rules=(mask, ASSEMBLY, ARRAYS)))
    assert (severity, code, mask.path in message) == ("error", "udev-assembles-nothing", True)
    assert [code for _, code, _ in said(boot(rules=(ARRAYS,)))] == ["udev-assembles-nothing"]
    edited = TextFile(path="/run/udev/rules.d/64-md-raid-assembly.rules", text=ASSEMBLY.text + "# mine\n")
    assert [(severity, code) for severity, code, _ in said(boot(rules=(edited, ASSEMBLY, ARRAYS)))] == [
        ("warning", "udev-rule-replaced")
    ]
    silent = TextFile(path="/etc/udev/rules.d/63-md-raid-arrays.rules", text="\n")
    assert [(severity, code) for severity, code, _ in said(boot(rules=(silent, ASSEMBLY, ARRAYS)))] == [
        ("error", "udev-rule-masked")
    ]
    fedora = replace(ASSEMBLY, path="/usr/lib/udev/rules.d/65-md-incremental.rules")
    assert said(boot(rules=(fedora, ARRAYS))) == []


def test_the_command_line() -> None:
    assert said(boot(command_line="raid=noautodetect noiswmd")) == []
    assert [(severity, code) for severity, code, _ in said(boot(command_line="ro rd.md=0 rd.md.uuid=1:2"))] == [
        ("note", "initramfs-restricted"), ("note", "initramfs-restricted"),
    ]  # fmt: skip
    assert [(severity, code) for severity, code, _ in said(boot(command_line="fstab=no"))] == [
        ("error", "fstab-not-read")
    ]


def test_images() -> None:
    fine = boot(LINE, found=frozenset({UUID}))
    old = image("", "5.10.0-30-amd64")

    def about(*images: Image) -> list[tuple[str, str]]:
        return [(severity, code) for severity, code, _ in said(replace(fine, images=images), built=True)]

    assert about(image(LINE)) == []
    assert about(image("")) == [("error", "initramfs-without-arrays")]
    assert about(image(f"ARRAY <ignore> UUID={UUID}\n")) == [("error", "initramfs-without-arrays")]
    assert about(image(LINE), old) == [("warning", "initramfs-of-before")]
    assert about(image("", files=())) == []  # no mdadm in it: udev assembles later
    assert about(image("", files=(), problem="cut off")) == [("warning", "initramfs-unknown")]
    assert about() == [("warning", "initramfs-unknown")]
    assert about(image(""), old) == [("error", "initramfs-without-arrays")] * 2
    newer = image(LINE, "6.1.0-30-amd64")
    assert about(newer, image("")) == [("warning", "initramfs-of-before")]


def test_the_way_out_of_an_older_image_is_the_command_for_it() -> None:
    seen = boot(LINE, found=frozenset({UUID}), images=(image(LINE), image("", "5.10.0-30-amd64")))
    (finding,) = check_boot(planned_arrays(PLAN, built=True), seen)
    assert finding.way_out == "update-initramfs -u -k 5.10.0-30-amd64, before that kernel is booted"


@pytest.mark.parametrize(
    ("command_line", "in_image", "assembles"),
    [
        ("ro quiet", "", False),
        ("rd.auto", "", True),
        ("rd.auto=1", "", True),
        ("rd.auto=1 rd.auto=0", "", False),
        ("rd.auto rd.md=0", "", False),
        ("rd.auto", "rd.md.uuid=1:2:3:4\n", False),
        (f"rd.md.uuid={UUID}", "", True),
        ("ro", f" rd.md.uuid={UUID.replace(':', '-')}", True),
    ],
)
def test_an_image_of_dracut_assembles_what_a_command_line_asks_for(
    command_line: str, in_image: str, assembles: bool
) -> None:
    """A generic one has mdadm and no mdadm.conf; Debian's update-initramfs, of the same package, adds none."""
    texts = {"/usr/sbin/mdadm": "", "/usr/sbin/mdraid_start": "", "/etc/cmdline.d/20-mdraid.conf": in_image}
    files = tuple(TextFile(path=path, text=text) for path, text in texts.items())
    seen = boot(LINE, found=frozenset({UUID}), images=(image("", files=files),), command_line=command_line)
    found = {each.code: each.way_out for each in check_boot(planned_arrays(PLAN, built=True), seen)}
    assert found.get("initramfs-without-arrays") == (
        'put mdadmconf="yes" into a file of /etc/dracut.conf.d; update-initramfs -u -k 6.1.0-28-amd64 must add them; '
        "check its output"
        if assembles
        else None
    )


def test_hostile_text_is_made_harmless() -> None:
    ((_, _, message),) = said(boot("DEVICE /dev/\x1b[31mx\n"))
    assert "\x1b" not in message


def test_it_is_part_of_the_preflight() -> None:
    from raidtui.steps.preflight import preflight

    seen = facts(PLAN, boot=boot("DEVICE /dev/nvme*\n"))
    assert "device-line" in [finding.code for finding in preflight(PLAN, machine(*SEATED), seen)]


MAPS = replace(
    PLAN,
    arrays=(replace(PLAN.arrays[0], members=("mpath-35000", "mpath-35001")),),
    disks=tuple(
        replace(disk, id=f"mpath-3500{n}", path=f"/dev/disk/by-id/dm-uuid-mpath-3500{n}")
        for n, disk in enumerate(PLAN.disks)
    ),
)
PATHS = tuple(
    DeviceNames(id=name, name=f"/dev/{name}", links=(f"/dev/disk/by-path/pci-{name}",)) for name in ("sdc", "sdd")
)
JOINED = MultipathBoot(daemon="enabled", wwids=frozenset({"35000", "35001", "9"}), paths=PATHS)
MULTIPATHD = TextFile(path="/usr/sbin/multipathd", text="")
OF_DRACUT = (MDADM, TextFile(path="/usr/sbin/mdraid_start", text=""))
FAMILIES = (MAPS, replace(MAPS, initramfs="dracut"))
"""dracut makes the images of both: Debian's has an update-initramfs"""


def about_maps(
    joined: MultipathBoot, *images: Image, conf: str = "", built: bool = False, plan: Plan = MAPS
) -> list[tuple[str, str, str]]:
    found = frozenset({UUID})
    seen = boot(conf, devices=(), multipath=joined, images=images, found=found, command_line="rd.auto")
    return [
        (each.severity, each.code, each.message)
        for each in check_boot(planned_arrays(plan, built=built), seen)
        if "multipath" in each.code
    ]


def test_multipath_disks_are_joined_at_boot() -> None:
    wwids = TextFile(path="/etc/multipath/wwids", text="# Valid WWIDs:\n/35000/\n/35001/\n")
    whole = image(LINE, files=(*OF_DRACUT, TextFile(path=CONF, text=LINE), MULTIPATHD, wwids))
    assert [about_maps(JOINED, whole, conf=LINE, built=True, plan=plan) for plan in FAMILIES] == [[], []]
    assert about_maps(JOINED, image(LINE, files=())) == []  # no mdadm in it: udev assembles later


def test_a_boot_that_does_not_join_multipath_disks() -> None:
    assert about_maps(replace(JOINED, daemon="masked")) == [
        (
            "error", "multipath-not-started",
            "multipathd does not start at boot (masked): the arrays would be assembled over single paths.",
        )
    ]  # fmt: skip
    assert about_maps(replace(JOINED, wwids=frozenset({"35000"}))) == [
        (
            "error", "multipath-not-claimed",
            "/etc/multipath/wwids does not name 1 multipath disk of the arrays, /dev/disk/by-id/dm-uuid-mpath-35001 "
            "first: the next boot may take their paths for disks.",
        )
    ]  # fmt: skip


def test_an_initramfs_with_mdadm_needs_multipathd_unless_device_lines_bar_the_paths() -> None:
    bare = image(LINE)
    message = (
        "/boot/initrd.img-6.1.0-28-amd64 has mdadm and no multipathd that claims paths before it: it would assemble "
        "the arrays over single paths."
    )
    assert about_maps(JOINED, bare) == [("error", "initramfs-without-multipath", message)]
    without = image(LINE, files=OF_DRACUT)
    assert about_maps(JOINED, without) == [("error", "initramfs-without-multipath", message)]
    assert [each[0] for each in about_maps(JOINED, image("", "5.10.0-30-amd64"))] == ["warning"]
    assert about_maps(JOINED, bare, conf="DEVICE /dev/disk/by-id/dm-uuid-mpath-*\n") == []
    assert len(about_maps(JOINED, bare, conf="DEVICE /dev/dm-* /dev/sd*\n")) == 1
    stale = image(LINE, files=(*OF_DRACUT, TextFile(path=CONF, text=LINE), MULTIPATHD))
    assert [about_maps(JOINED, stale, plan=plan) for plan in FAMILIES] == [[], []]  # the build rebuilds it
    ((_, _, said_of_it),) = about_maps(JOINED, stale, conf=LINE, built=True)
    assert "a /etc/multipath/wwids without these disks" in said_of_it


def test_multipath_tools_boot_does_not_claim_paths_before_mdadm() -> None:
    """Seen in Debian 12: its initramfs runs multipath after udev has offered the paths to mdadm, and no multipathd."""
    wwids = TextFile(path="/etc/multipath/wwids", text="/35000/\n/35001/\n")
    multipath = TextFile(path="/usr/sbin/multipath", text="")
    for files in ((MDADM, multipath, wwids), (MDADM, multipath, MULTIPATHD, wwids)):
        found = about_maps(JOINED, image(LINE, files=files), conf=LINE)
        assert [each[:2] for each in found] == [("error", "initramfs-without-multipath")]


def test_a_device_line_with_the_number_of_a_map_does_not_last() -> None:
    assert not mdadm_conf.lasting(["/dev/dm-3"], "/dev/dm-3", ())
    assert mdadm_conf.lasting(["/dev/dm-*"], "/dev/dm-3", ())
