from raidtui.programs import multipath


def test_the_disks_that_multipathd_remembers() -> None:
    text = "# Multipath wwids, Version : 1.0\n#\n# Valid WWIDs:\n/35000c5004d500001/\n/3600 a b/\nnone\n"
    assert multipath.remembered(text) == {"35000c5004d500001", "3600 a b"}
    assert multipath.remembered("") == frozenset()


def test_whether_multipathd_starts_at_boot() -> None:
    assert multipath.enabled_question() == ("systemctl", "is-enabled", "multipathd.service")
