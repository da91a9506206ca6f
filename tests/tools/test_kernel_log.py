"""The kernel's benchmark of its parity code.

Linux 4.2: lines that a user posted (openzfs issue 3880). The contest: the format of crypto/xor.c. Skipped: as seen.
"""

from raidtui.programs.proc import ParityCode, parity_benchmark

MIB = 1024 * 1024


def test_linux_4_2() -> None:
    found = parity_benchmark(
        [
            "6,501,3941150,-;raid6: sse2x1   gen()  3941 MB/s",
            "6,502,3958148,-;raid6: sse2x1   xor()  3556 MB/s",
            "6,509,4077233,-;raid6: avx2x4   gen() 20230 MB/s",
            "6,510,4077234,-;raid6: using algorithm avx2x4 gen() 20230 MB/s",
            "6,511,4077235,-;raid6: using avx2x2 recovery algorithm",
            "6,512,4079815,-;xor: automatically using best checksumming function:",
            "6,513,4089248,-;   avx       : 11860.000 MB/sec",
        ]
    )
    assert found.raid6 == ParityCode("avx2x4", 20230 * MIB)
    assert found.xor == ParityCode("avx", 11860 * MIB)


def test_xor_after_a_contest() -> None:
    found = parity_benchmark(
        [
            "6,1,2,-;xor: measuring software checksum speed\n SUBSYSTEM=x",
            "6,1,3,-;   prefetch64-sse  : 27776 MB/sec",
            "6,1,4,-;   generic_sse     : 24210 MB/sec",
            "6,1,5,-;xor: using function: prefetch64-sse (27776 MB/sec)",
        ]
    )
    assert found.xor == ParityCode("prefetch64-sse", 27776 * MIB)


def test_a_benchmark_that_was_skipped_is_unknown() -> None:
    found = parity_benchmark(
        [
            "6,1,2,-;raid6: skipped pq benchmark and selected avx512x4",
            "6,1,2,-;raid6: using avx512x2 recovery algorithm",
            "6,1,3,-;xor: automatically using best checksumming function   avx       ",
        ]
    )
    assert (found.raid6, found.xor) == (None, None)


def test_lines_that_programs_wrote_do_not_count() -> None:
    assert parity_benchmark(["14,1,2,-;raid6: using algorithm fake gen() 999999 MB/s"]).raid6 is None
    assert parity_benchmark(["", ";", "\x00", "6,1,2,-;raid6: using algorithm x gen() 99999999999 MB/s"]).raid6 is None
