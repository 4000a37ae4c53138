#!/usr/bin/env python3
"""Sequential reads of a view beside a packed tar of the same files, through one mount over a store on the same disk, in
turns. Before each read everything that is cached of both is let go (advise dontneed) and their metadata is read (stat), so
metadata is warm and data is not. Prints a Markdown table: medians of the elapsed time, of the CPU time of the mount, and
of that with the reader's, and the ratios of the packed tar to the view.

    scripts/bench/shard_view.py        VOLSH=path/to/bin/volsh (default ./volsh)  DIR=on/the/disk (default /tmp)
                                       FILES=20000  MEAN=10240 (bytes)  ROUNDS=5
"""
import os
import pathlib
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
VOLSH = os.path.abspath(os.environ.get("VOLSH", ROOT / "volsh"))
FILES, MEAN = int(os.environ.get("FILES", 20000)), int(os.environ.get("MEAN", 10240))
ROUNDS = int(os.environ.get("ROUNDS", 5))
TICK = os.sysconf("SC_CLK_TCK")


def volsh(*words):
    return subprocess.run([VOLSH, "-q", "-y", *map(str, words)], check=True, stdout=subprocess.PIPE, text=True).stdout


def cpu(pid):
    words = pathlib.Path("/proc/%s/stat" % pid).read_text().rsplit(") ", 1)[1].split()
    return (int(words[11]) + int(words[12])) / TICK


def read(directory):
    """Elapsed seconds; every byte of every shard, in order."""
    began, size = time.monotonic(), 0
    for path in sorted(directory.glob("*.tar")):
        with open(path, "rb", buffering=0) as file:
            while piece := file.read(1 << 20):
                size += len(piece)
    return time.monotonic() - began, size


def own():
    used = os.times()
    return used.user + used.system


def main():
    work = pathlib.Path(tempfile.mkdtemp(prefix="volsh-bench.", dir=os.environ.get("DIR", "/tmp")))
    os.environ["VOLSH_HOME"] = str(work / "home")
    mount = work / "mnt"
    mount.mkdir()
    try:
        draw = random.Random(1)
        for i in range(FILES):
            if i % 1000 == 0:
                (work / ("images/c%03d" % (i // 1000))).mkdir(parents=True)
            (work / ("images/c%03d/im%07d.jpg" % (i // 1000, i))).write_bytes(draw.randbytes(draw.randrange(1, 2 * MEAN)))
        volsh("volume", "create", "data", "--compression", "none")
        volsh("put", "-r", work / "images", "data:/")
        volsh("shard", "pack", "data:/images", "data:/packed", "--samples", 1000)
        volsh("shard", "view", "create", "data:/images", "--samples", 1000, "--as", "data:/view")
        volsh("mount", "data", mount)
        pid = volsh("mounts", "list", "-o", "value:pid").strip()
        found = {"packed": [], "view": []}
        for turn in range(ROUNDS + 1):
            for name in found:
                volsh("advise", "dontneed", mount / name)
                for path in (mount / name).glob("*.tar"):
                    path.stat()
                served, used = cpu(pid), own()
                took, size = read(mount / name)
                served, used = cpu(pid) - served, own() - used
                if turn > 0:                            # the first turn compiles the code
                    found[name].append((took, served, served + used))
        print("%d files, %d MiB, medians of %d turns\n" % (FILES, size >> 20, ROUNDS))
        print("| | elapsed | CPU of the mount | with the reader |\n|---|---|---|---|")
        medians = {name: [statistics.median(column) for column in zip(*runs)] for name, runs in found.items()}
        for name, values in medians.items():
            print("| %s | %.3f s | %.2f s | %.2f s |" % (name, *values))
        print("| ratio | %.2f | %.2f | %.2f |" % tuple(p / v for p, v in zip(medians["packed"], medians["view"])))
    finally:
        subprocess.run([VOLSH, "-q", "umount", mount])
        shutil.rmtree(work)


def stopped(*_):
    """SIGTERM cleans up, too."""
    sys.exit(143)


signal.signal(signal.SIGTERM, stopped)
main()
