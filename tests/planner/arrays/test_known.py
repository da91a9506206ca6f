"""What knows an array: yes, no, not needed, or unknown with the reason."""

from raidtui.advice.arrays import known
from raidtui.values.arrays import KnownBy, OnArray
from raidtui.values.facts import Configuration, Image, TextFile
from raidtui.values.findings import error, note, warning

UUID = "8d1c6d1b:7a9bd3ab:0a1b2c3d:4e5f6071"
OTHER = "00000000:7a9bd3ab:0a1b2c3d:4e5f6071"
PATH = "/etc/mdadm/mdadm.conf"


def conf(*lines: str, path: str = PATH) -> tuple[TextFile, ...]:
    return (TextFile(path=path, text="\n".join(lines)),)


def test_an_array_line_names_it() -> None:
    files = conf("HOMEHOST <system>", f"ARRAY /dev/md/data metadata=1.2 UUID={UUID}")
    assert known.in_conf(Configuration(files=files), UUID, "/dev/md/data", ()) == KnownBy(
        answer="yes", why=f"{PATH} line 2"
    )


def test_what_does_not_name_it() -> None:
    def no(files: tuple[TextFile, ...], why: str) -> None:
        assert known.in_conf(Configuration(files=files), UUID, "/dev/md/data", ()) == KnownBy(answer="no", why=why)

    no((), "there is no mdadm.conf")
    no(conf("MAILADDR root"), f"no ARRAY line in {PATH}")
    no(conf(f"ARRAY /dev/md/data UUID={OTHER}"), f"{PATH} line 1 has its name, not its UUID")
    no(conf(f"ARRAY <ignore> UUID={UUID}"), f"{PATH} line 1 has mdadm ignore it")
    twice = conf(f"ARRAY /dev/md/a UUID={UUID}", f"ARRAY /dev/md/b UUID={UUID}")
    no(twice, f"{PATH} line 1 and {PATH} line 2 both match it: mdadm assembles neither")


def test_without_a_uuid_nothing_is_concluded() -> None:
    unknown = KnownBy(answer="unknown", why="the UUID of the array is not known")
    assert (
        known.in_conf(Configuration(files=conf(f"ARRAY /dev/md/data UUID={UUID}")), "", "/dev/md/data", ()) == unknown
    )
    assert known.in_initramfs((), "", "") == unknown


RUN = "7" * 32
BUILT = "776e0666:df8f5949:900c9191:5fa94299"
"""what run 7... calls the array `data`: the UUID (version 5) of `array:data` below it"""


def test_the_run_that_gave_an_array_its_uuid_is_named_and_no_other() -> None:
    files = conf(f"# raidtui {RUN} begin data", f"ARRAY /dev/md/data UUID={BUILT}", f"# raidtui {RUN} end")
    assert known.runs_named(files, ("benches", "8" * 32, RUN)) == (RUN, "8" * 32)
    assert known.built_by((RUN, "8" * 32), BUILT, "node1:data") == RUN
    assert known.built_by((RUN,), BUILT, "data") == RUN


def test_a_copied_line_or_folder_makes_no_run_of_raidtui_of_an_array() -> None:
    assert known.built_by((RUN,), UUID, "node1:data") == ""  # its lines were put around another array
    assert known.built_by((RUN,), BUILT, "node1:other") == ""
    assert known.built_by(("8" * 32,), BUILT, "node1:data") == ""
    assert known.built_by((RUN,), "", "node1:data") == ""
    assert known.built_by((), BUILT, "node1:data") == ""
    assert known.runs_named(conf(f"# raidtui {RUN} end", f"see # raidtui {RUN} begin data"), ("7" * 31,)) == ()


def image(name: str, *files: TextFile, problem: str = "") -> Image:
    return Image(path=f"/boot/{name}", kernel=name, files=files, problem=problem)


PROGRAM = TextFile(path="/sbin/mdadm", text="")


def test_every_image_that_has_mdadm_must_name_it() -> None:
    naming = image("a", PROGRAM, *conf(f"ARRAY /dev/md/data UUID={UUID}"))
    other = image("b", PROGRAM, *conf("MAILADDR root"))
    broken = image("c", problem="unknown compression")

    def found(*images: Image, command_line: str = "") -> KnownBy:
        return known.in_initramfs(images, UUID, command_line)

    assert found(naming) == KnownBy(answer="yes", why="/boot/a")
    assert found(naming, other, broken) == KnownBy(answer="no", why="not named in /boot/b")
    assert found(naming, broken) == KnownBy(answer="unknown", why="/boot/c: unknown compression")
    later = KnownBy(answer="not-needed", why="no image assembles it: udev does after the root file system")
    assert found(image("a")) == later
    assert found().answer == "unknown"
    dracut = image("d", PROGRAM, TextFile(path="/usr/sbin/mdraid_start", text=""))
    assert found(dracut) == later
    assert found(dracut, command_line="rd.auto") == KnownBy(answer="no", why="not named in /boot/d")


def on(content: str, uuid: str = "", label: str = "", name: str = "md127") -> OnArray:
    return OnArray(device=name, name=name, type="raid5", depth=0, content=content, uuid=uuid, label=label)


def test_each_file_system_needs_a_line_of_fstab() -> None:
    text = "# /etc/fstab\nUUID=1-2 /srv xfs nofail 0 0\nLABEL=two\\040words /home ext4 x 0 2\n/dev/md5 none swap sw\n"

    def found(*stack: OnArray) -> KnownBy:
        return known.in_fstab(text, stack, lambda path: path.removeprefix("/dev/"))

    assert found(on("xfs", "1-2")) == KnownBy(answer="yes", why="/etc/fstab line 2")
    assert found(on("ext4", "9-9", "two words")) == KnownBy(answer="yes", why="/etc/fstab line 3")
    assert found(on("swap", "7-7", name="md5")) == KnownBy(answer="yes", why="/etc/fstab line 4")
    assert found(on("xfs", "3-4")) == KnownBy(answer="no", why="no line for xfs on /dev/md127")
    assert found(on("LVM2_member"), on("xfs", "1-2")) == KnownBy(answer="yes", why="/etc/fstab line 2")
    assert found(on("LVM2_member")).answer == found(on("")).answer == "not-needed"


def test_each_luks_volume_needs_a_line_of_crypttab() -> None:
    text = "# name device\nopened UUID=1-2 /etc/keys/k luks\n\nother /dev/md5 none\n"

    def found(*stack: OnArray, text: str | None = text) -> KnownBy | None:
        return known.in_crypttab(text, stack, lambda path: path.removeprefix("/dev/"))

    assert found(on("crypto_LUKS", "1-2"), on("xfs")) == KnownBy(answer="yes", why="/etc/crypttab line 2")
    assert found(on("crypto_LUKS", "5-5", name="md5")) == KnownBy(answer="yes", why="/etc/crypttab line 4")
    assert found(on("crypto_LUKS", "3-4")) == KnownBy(answer="no", why="no line for /dev/md127")
    assert found(on("crypto_LUKS", "3-4"), text="") == KnownBy(answer="no", why="no line for /dev/md127")
    unread = KnownBy(answer="unknown", why="/etc/crypttab could not be read")
    assert found(on("crypto_LUKS", "3-4"), text=None) == unread
    assert found(on("xfs", "1-2")) is None


def test_a_monitor_watches_levels_with_redundancy() -> None:
    active = "mdmonitor.service is active"
    assert known.monitored(active, "raid5", "") == KnownBy(answer="yes", why=active)
    assert known.monitored(None, "raid5", "").answer == "no"
    assert known.monitored(None, "raid5", "/proc lists no processes").answer == "unknown"
    assert known.monitored(active, "raid0", "").answer == "not-needed"


def test_what_the_next_boot_does_in_one_answer() -> None:
    assert known.at_boot((), "md127").answer == "yes"
    theirs = error("device-line", "It is about another array.", "x", "md0")
    later = warning("device-line-names", "Names may change.", "x", "md127")
    beside = warning("udev-rule-replaced", "A rule is replaced.", "x")
    assert known.at_boot((theirs, later, beside, note("auto-line", "A note.", "x", "md127")), "md127") == KnownBy(
        answer="yes", why="mdadm may look at all of its members; warning: Names may change"
    )
    ours = error("auto-line", "AUTO keeps mdadm from it.", "x", "md127")
    machine = error("fstab-not-read", "systemd ignores fstab.", "x")
    assert known.at_boot((later, ours), "md127") == KnownBy(answer="no", why="AUTO keeps mdadm from it")
    assert known.at_boot((machine,), "md127").answer == "no"


def test_which_file_is_read_decides_what_names_it() -> None:
    both = (*conf("MAILADDR root"), *conf(f"ARRAY /dev/md/data UUID={UUID}", path="/etc/mdadm.conf"))
    other = Configuration(files=both, first="/etc/mdadm.conf")
    assert known.in_conf(other, UUID, "/dev/md/data", ()) == KnownBy(answer="yes", why="/etc/mdadm.conf line 1")
    assert known.in_conf(Configuration(files=both, first=PATH), UUID, "/dev/md/data", ()) == KnownBy(
        answer="no", why=f"no ARRAY line in {PATH}"
    )
    open_ = known.in_conf(Configuration(files=both, why="grep is missing"), UUID, "/dev/md/data", ())
    assert open_ == KnownBy(
        answer="unknown",
        why="which mdadm.conf is read is not known (grep is missing): /etc/mdadm/mdadm.conf: no (no ARRAY line in "
        "/etc/mdadm/mdadm.conf); /etc/mdadm.conf: yes (/etc/mdadm.conf line 1)",
    )
