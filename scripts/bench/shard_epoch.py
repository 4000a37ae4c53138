#!/usr/bin/env python3
"""Epochs over one dataset, stored in four ways, on one mount over a store with latency: single files (written through the
mount, and put), tar shards, indexed records, and a view. Every byte of every sample is read, by a few threads: files and
records in random order, shards one after another. Cold is a new mount; warm is the second epoch on that mount, from its
memory, with the kernel's pages dropped. Prints a Markdown table with the ratio to single files.

    scripts/bench/shard_epoch.py       VOLSH=path/to/bin/volsh (default ./volsh)  DIR=on/the/disk (default /tmp)
                                       FILES=5000  MEAN=10240 (bytes)  LATENCY=20ms  THREADS=4
"""
import os
import pathlib
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parents[2]
VOLSH = os.path.abspath(os.environ.get("VOLSH", ROOT / "volsh"))
FILES, MEAN = int(os.environ.get("FILES", 5000)), int(os.environ.get("MEAN", 10240))
LATENCY, THREADS = os.environ.get("LATENCY", "20ms"), int(os.environ.get("THREADS", 4))


def volsh(*words):
    subprocess.run([VOLSH, "-q", "-y", *map(str, words)], check=True, stdout=subprocess.DEVNULL)


def whole(path):
    """All bytes, as a loader that streams reads them; returns how many."""
    count = 0
    with open(path, "rb", buffering=0) as file:
        while piece := file.read(1 << 20):
            count += len(piece)
    return count


def record(place):
    path, offset, length = place
    return len(os.pread(path, length, offset))


def records(shards):
    """Where each record lies, from the index at the end of each shard."""
    places = []
    for path in shards:
        file = os.open(path, os.O_RDONLY)
        size = os.fstat(file).st_size
        count, index = struct.unpack_from("<QQ", os.pread(file, 48, size - 48))
        rows = os.pread(file, 24 * count, index)
        places += [(file, *struct.unpack_from("<QQ", rows, 24 * i)) for i in range(count)]
    return places


def epoch(read, items):
    began = time.monotonic()
    with ThreadPoolExecutor(THREADS) as pool:
        size = sum(pool.map(read, items))
    return time.monotonic() - began, size


def layout(name, mount):
    draw = random.Random(5)
    root = pathlib.Path(mount, name)
    if name in ("files", "put"):
        found = sorted(root.rglob("*.jpg"))
        draw.shuffle(found)
        return whole, found
    if name == "records":
        found = records(sorted(root.glob("*.records")))
        draw.shuffle(found)
        return record, found
    return whole, sorted(root.glob("*.tar"))


def main():
    work = pathlib.Path(tempfile.mkdtemp(prefix="volsh-bench.", dir=os.environ.get("DIR", "/tmp")))
    os.environ["VOLSH_HOME"] = str(work / "home")
    mount = work / "m"
    mount.mkdir()
    try:
        draw, source = random.Random(1), work / "source"
        for i in range(FILES):
            (source / ("c%02d" % (i * 20 // FILES))).mkdir(parents=True, exist_ok=True)
            (source / ("c%02d" % (i * 20 // FILES)) / ("im%07d.jpg" % i)).write_bytes(
                draw.randbytes(draw.randrange(1, 2 * MEAN)))
        size = sum(path.stat().st_size for path in source.rglob("*.jpg"))
        volsh("store", "add", "lake", "file://%s/store?latency=%s" % (work, LATENCY))
        volsh("volume", "create", "data", "--store", "lake")
        volsh("put", "-r", source, "data:/put")
        volsh("shard", "pack", "data:/put", "data:/tar", "--no-classes", "--samples", FILES // 8)
        volsh("shard", "convert", "data:/tar", "data:/records", "--to", "records")
        volsh("shard", "view", "create", "data:/put", "--as", "data:/view", "--no-classes", "--samples", FILES // 8)
        volsh("mount", "data", mount)
        shutil.copytree(source, mount / "files")
        volsh("umount", mount)
        print("%d files, %d MiB, %s for each get, %d threads\n" % (FILES, size >> 20, LATENCY, THREADS))
        print("| | cold | of single files | warm | of single files |\n|---|---|---|---|---|")
        base = None
        for name, said in (("files", "single files, written on a mount"), ("put", "single files, `put -r`"),
                           ("tar", "tar shards"), ("records", "records, by index"), ("view", "view")):
            volsh("mount", "data", mount, "--cache-memory", "256MiB")
            read, items = layout(name, mount)
            cold, count = epoch(read, items)
            volsh("sys", "pagecache", "--drop", mount / name)
            warm, _ = epoch(read, items)
            if count < size:
                sys.exit("%s: %d of %d bytes" % (name, count, size))
            if name == "records":
                for file in {item[0] for item in items}:
                    os.close(file)
            volsh("umount", mount)
            base = base or (cold, warm)
            print("| %s | %.2f s | %.1f× | %.2f s | %.1f× |" % (said, cold, base[0] / cold, warm, base[1] / warm),
                  flush=True)
    finally:
        subprocess.run(["umount", "-l", mount], stderr=subprocess.DEVNULL)
        shutil.rmtree(work)


def stopped(*_):
    """SIGTERM cleans up, too."""
    sys.exit(143)


signal.signal(signal.SIGTERM, stopped)
main()
