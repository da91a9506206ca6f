"""Hosts, job files and command lines: exact text, and what is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.model.bench import Job
from raidtui.model.errors import BadInput
from raidtui.tools import fio
from raidtui.tools.fio_hosts import HostAddress, client_argv, for_host, parse_hosts, removing, server_argv, ssh_argv

MIB = 1024 * 1024
WRITE = Job(
    name="write", title="", target="files", pattern="write", block_bytes=MIB, streams=2, depth=4, seconds=30,
    warm_up_seconds=5,
)  # fmt: skip


def test_hosts_are_read_with_their_ports() -> None:
    assert parse_hosts("stor01, 10.0.0.7:8766,a-b.example.org") == (
        HostAddress(name="stor01", host="stor01"),
        HostAddress(name="10.0.0.7:8766", host="10.0.0.7", port=8766),
        HostAddress(name="a-b.example.org", host="a-b.example.org"),
    )
    assert parse_hosts("root@stor01", ssh=True)[0] == HostAddress(name="root@stor01", host="stor01", user="root")
    assert parse_hosts("a,b:9")[1].key == "b:9"


@pytest.mark.parametrize(
    "text",
    [
        "", "a,", "-oProxyCommand=x", "a b", "a;reboot", "$(id)", "a\nb", "a..b", "a:0", "a:65536", "a:x", "a:",
        "a,a", "a,a:8765", "root@a", "[::1]", "a/b", "ä", "a" * 260, "a:\u0661",
    ],
)  # fmt: skip
def test_what_is_no_host_is_refused(text: str) -> None:
    if text == "a:":
        with pytest.raises(BadInput):
            parse_hosts(text)
        return
    with pytest.raises(BadInput):
        parse_hosts(text)


def test_users_for_ssh_are_names() -> None:
    for text in ("-x@a", "Root@a", "a b@c", "@a", "a;b@c"):
        with pytest.raises(BadInput):
            parse_hosts(text, ssh=True)


def test_command_lines() -> None:
    one, two = parse_hosts("a,b:9")
    assert client_argv([(one, "/t/1.fio"), (two, "/t/2.fio")]) == (
        "fio", "--output-format=json", "--eta=never", "--client=ip:a,8765", "/t/1.fio", "--client=ip:b,9", "/t/2.fio",
    )  # fmt: skip
    assert server_argv("10.0.0.7") == ("fio", "--server=ip:10.0.0.7,8765")
    assert ssh_argv(parse_hosts("root@stor01", ssh=True)[0], 40001) == (
        "ssh", "-tt", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "-o", "ExitOnForwardFailure=yes",
        "-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=3", "-l", "root",
        "-L", "127.0.0.1:40001:127.0.0.1:8765", "--", "stor01", "fio", "--server=ip:127.0.0.1,8765",
    )  # fmt: skip


def test_each_host_has_files_of_its_own() -> None:
    own = for_host(fio.in_files(WRITE, 64 * MIB), "/srv/a:b", ".raidtui-bench-x.2")
    assert own.job_file() == (
        "[global]\nthread=1\ngroup_reporting=1\nexitall_on_error=1\ntime_based=1\nruntime=30\nramp_time=5\nrw=write\n"
        "bs=1048576\nioengine=libaio\niodepth=4\ndirect=1\nend_fsync=1\nrandseed=1\nfallocate=none\n"
        "directory=/srv/a\\:b\nunique_filename=0\n"
        "\n[write]\nfilename_format=.raidtui-bench-x.2.stream.$jobnum\nsize=67108864\nnumjobs=2\n"
    )
    assert removing(own).job_file() == (
        "[global]\nthread=1\ngroup_reporting=1\nrw=read\nbs=4096\nioengine=psync\ndirect=0\nnumber_ios=1\nunlink=1\n"
        "directory=/srv/a\\:b\nunique_filename=0\n"
        "\n[remove]\nfilename_format=.raidtui-bench-x.2.stream.$jobnum\nsize=4096\nnumjobs=2\n"
    )


def test_regions_share_a_file_that_one_job_removes() -> None:
    regions = Job(name="read", title="", target="files", pattern="read", block_bytes=MIB, streams=4, regions=4, depth=1)
    own = removing(for_host(fio.in_files(regions, 64 * MIB), "/srv", "p.1"))
    assert own.sections == (("remove", (("filename", "p.1.regions"), ("size", "4096"), ("numjobs", "1"))),)


@given(st.text(max_size=12), st.booleans())
def test_whatever_is_typed_is_a_host_or_refused(text: str, ssh: bool) -> None:
    try:
        found = parse_hosts(text, ssh=ssh)
    except BadInput:
        return
    for host in found:
        assert not host.host.startswith("-")
        assert host.host.isascii()
        assert not set(host.host) & set(" \t\n;&|$`'\"\\/()<>")
        assert 0 < host.port < 65536
