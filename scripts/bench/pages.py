#!/usr/bin/env python3
"""How the kernel holds files in its page cache, and how fast they are read from there again.

    scripts/bench/pages.py FILE...        as root; reads each file once, then 20 times in turns

A file in large folios is copied out of the cache several times as fast as one in single pages. Which of them a file system
uses is the kernel's choice; FUSE has single pages only (Linux 6.18), whoever serves it.
"""
import mmap
import os
import struct
import sys
import time

PAGE = 4096
ROUNDS = 20
FRAME_NUMBER = (1 << 55) - 1
HEAD, TAIL = 1 << 15, 1 << 16   # of a folio of several pages, in /proc/kpageflags

buffer = mmap.mmap(-1, 1 << 20)


def read(path):
    """MB/s."""
    file = os.open(path, os.O_RDONLY)
    size = os.fstat(file).st_size
    start = time.perf_counter()
    at = 0
    while at < size:
        at += os.preadv(file, [buffer], at)
    seconds = time.perf_counter() - start
    os.close(file)
    return size / 1e6 / seconds


def folios(path):
    """Of the file's pages: how many are a folio by themselves; how many pages the others have in the mean."""
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size // PAGE * PAGE
        mapped = mmap.mmap(file.fileno(), size, mmap.MAP_SHARED, mmap.PROT_READ)
    sum(mapped[at] for at in range(0, size, PAGE))   # so that each is there
    real = os.path.realpath(path)
    with open("/proc/self/maps") as maps:
        address = next(int(line.split("-")[0], 16) for line in maps if line.rstrip("\n").endswith(" " + real))
    with open("/proc/self/pagemap", "rb", 0) as pagemap:
        entries = os.pread(pagemap.fileno(), size // PAGE * 8, address // PAGE * 8)
    single = heads = 0
    with open("/proc/kpageflags", "rb", 0) as flags:
        for (entry,) in struct.iter_unpack("Q", entries):
            (flag,) = struct.unpack("Q", os.pread(flags.fileno(), 8, (entry & FRAME_NUMBER) * 8))
            single += not flag & (HEAD | TAIL)
            heads += bool(flag & HEAD)
    pages = size // PAGE
    return single / pages, (pages - single) / heads if heads else 1


paths = sys.argv[1:]
if not paths:
    sys.exit(__doc__)
for path in paths:
    read(path)
rates = {path: [] for path in paths}
for _ in range(ROUNDS):
    for path in paths:
        rates[path].append(read(path))
print("| file | read again, MB/s, median | single pages | pages of a larger folio, mean |")
print("|---|---|---|---|")
for path in paths:
    single, mean = folios(path)
    print("| %s | %.0f | %.0f %% | %.0f |" % (path, sorted(rates[path])[ROUNDS // 2], 100 * single, mean))
