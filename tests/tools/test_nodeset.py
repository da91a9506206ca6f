"""Node sets. The folded texts are what `nodeset -f` of ClusterShell 1.9.3 (Debian 13) prints."""

import pytest

from raidtui.fleet.ssh import fold_nodeset, host_name, parse_nodeset
from raidtui.values.errors import BadInput


@pytest.mark.parametrize(
    ("text", "hosts"),
    [
        ("node7", ("node7",)),
        ("node[01-03]", ("node01", "node02", "node03")),
        ("node[1-4]!node2", ("node1", "node3", "node4")),
        ("b1,a1", ("a1", "b1")),
        ("root@node[1-2]", ("root@node1", "root@node2")),
        ("r[1-2]n[1-2].example.org", ("r1n1.example.org", "r1n2.example.org", "r2n1.example.org", "r2n2.example.org")),
    ],
)
def test_hosts_of_a_node_set(text: str, hosts: tuple[str, ...]) -> None:
    assert parse_nodeset(text) == hosts


def test_hosts_are_folded() -> None:
    assert fold_nodeset([f"node{number:02}" for number in range(1, 61) if number not in (7, 58)]) == (
        "node[01-06,08-57,59-60]"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("node[1-", "invalid node set 'node[1-': missing bracket"),
        ("node[1-99999999999]", "'node[1-99999999999]' has more than 10000 hosts"),
        ("r[1-2000]n[1-2000]", "'r[1-2000]n[1-2000]' has 4000000 hosts, more than 10000"),
        ("-oProxyCommand=touch", "'-oProxyCommand=touch' is not a host name"),
        ("a;reboot", "'a;reboot' is not a host name"),
        ("node\x1b[1]", "is not a host name"),
        ("@rack1", "'@rack1' is not a host name"),
        ("a" + "1" * 19, "contains a number of more than 18 digits"),
    ],
)
def test_what_is_no_node_set_is_refused(text: str, message: str) -> None:
    with pytest.raises(BadInput) as problem:
        parse_nodeset(text)
    assert message in str(problem.value)
    assert str(problem.value).isprintable()


def test_a_host_name_never_looks_like_an_option() -> None:
    assert host_name("node01.example.org") == "node01.example.org"
    for text in ("-l", "", "a b", "a\n", "a" * 300, "ä", "a@-b", "@a"):
        with pytest.raises(BadInput):
            host_name(text)
