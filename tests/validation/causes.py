"""Why a row is off, as far as its source or the kernel says. Every outlier has an entry, and only outliers have one."""

from __future__ import annotations

CAUSES = {
    "throughput 78": "4.3 times md's usual thread; the report does not say group_thread_cnt, and its work is on the "
    "bitmap's lock under 16 threads: several threads must have run. One other report of that year shows 5 to 10 GB/s",
    "throughput 17": "three readers of a mirror whose other members are faster: the source gives one disk's speed, "
    "that of the slowest",
    "throughput 124": "one direct request of 256 KiB at a time: 24 ms each, three turns of the platter; the source "
    "calls it unexplained and saw 524 MB/s of the same array later. The model has no term for direct I/O at depth one",
    "IBM M1015 randwrite 4K 32 jobs of depth 32": "128 requests in flight for each disk, which orders them: it does "
    "more than at the depth that its figure stands for",
    "IBM M1015 randwrite 4K 64 jobs of depth 64": "the same with 512 for each disk",
    "throughput 161": "hdparm, one reader for three seconds: 0.58 of three members, 0.87 of the two that hold data; "
    "the model has reads of flash use all members",
    "throughput 126": "dd with 4 KiB blocks on a machine of 2013: one thread copying, read-ahead not stated",
}

LAB_CAUSES: dict[str, str] = {
    "raid5 of 6: seq_read_1": "fio's own figure contradicts the counters of the same run, 234.6 MB in 4.64 s or "
    "51 MB/s (1.18): probably a pause of the emulated machine",
    "raid5 of 6, chunk 512K, cache 256: seq_write": "partial stripes: the default cache starts with two rows of such "
    "chunks, and 1.40 bytes move where full stripes need 1.20; not so with 4096 pages",
    "raid6 of 6, chunk 512K, cache 256: seq_write": "partial stripes: 1.90 bytes move where full stripes need 1.50",
    "raid10 of 4 n2, rotating: seq_read_4": "among copies on rotating disks md takes the nearest head, not the idlest "
    "member (raid10.c, read_balance): four readers load four members unevenly",
}
"""the same for rows of the lab, by `LabRow.name`"""
