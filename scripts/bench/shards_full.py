#!/usr/bin/env python3
"""Proves `volsh shard` at full size: every format packed, verified and unpacked to equal bytes; packing killed at random
moments and resumed; bad input with a small heap; many samples. Prints a Markdown table and fails at the first wrong byte.

    scripts/bench/shards_full.py       VOLSH=path/to/bin/volsh (default ./volsh)   DIR=on/the/disk (default /tmp)
                                       FILES=100000  MEAN=10240 (bytes)  KILLS=20  SAMPLES=0 (a million: 1000000)
                                       PARTS=formats,damaged,killed,arrays
"""
import json
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

ROOT = pathlib.Path(__file__).resolve().parents[2]
VOLSH = os.path.abspath(os.environ.get("VOLSH", ROOT / "volsh"))
FILES, MEAN = int(os.environ.get("FILES", 100000)), int(os.environ.get("MEAN", 10240))
KILLS, SAMPLES = int(os.environ.get("KILLS", 20)), int(os.environ.get("SAMPLES", 0))
PARTS = os.environ.get("PARTS", "formats,damaged,killed,arrays").split(",")
SEED = int(os.environ.get("SEED", time.time()))
MIB = 1 << 20


def run(*words, code=0, env=None):
    """Runs volsh; returns its output, seconds, CPU seconds and peak memory in MiB."""
    with tempfile.NamedTemporaryFile("r") as clock:      # by a program of its own: a child begins with its parent's memory
        child = subprocess.run(["/usr/bin/time", "-o", clock.name, "-f", "%e %U %S %M", VOLSH, "-q", "shard",
                                *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               env={**os.environ, **(env or {})})
        elapsed, user, system, peak = map(float, clock.read().split("\n")[-2].split())
    text = child.stdout
    if child.returncode != code:
        sys.exit("shard %s: exit %d instead of %d\n%s" % (" ".join(map(str, words)), child.returncode, code, text))
    return text, elapsed, user + system, peak / 1024


def files(root):
    return sorted(path for path in pathlib.Path(root).rglob("*") if path.is_file())


def require_equal(one, other):
    if subprocess.run(["diff", "-rq", one, other]).returncode != 0:
        sys.exit("%s and %s differ (seed %d)" % (one, other, SEED))


def tree(root, extension, draw, size):
    for i in range(FILES):
        if i % 1000 == 0:
            os.makedirs("%s/c%04d" % (root, i // 1000))
        with open("%s/c%04d/im%07d.%s" % (root, i // 1000, i, extension), "wb") as out:
            out.write(draw.randbytes(size(draw)))


def row(name, runs, size):
    seconds, cpu, peak = (f(run[i] for run in runs) for i, f in ((1, sum), (2, sum), (3, max)))
    print("| %s | %.1f s | %.1f s | %d MiB/s | %d MiB |" % (name, seconds, cpu, size / MIB / seconds, peak), flush=True)
    if peak > 512:
        sys.exit("more than 512 MiB")


def keyed(source, name, size):
    """Formats with keys give the very tree back."""
    row("pack " + name, [run("pack", source, "out", "--format", name, "--no-classes")], size)
    row("verify " + name, [run("verify", "out")], size)
    row("unpack " + name, [run("unpack", "out", "back")], size)
    require_equal(source, "back")
    shutil.rmtree("out")
    shutil.rmtree("back")


def array(path, header):
    """The numbers of a shard, without what fills up its last sequence."""
    whole = path.read_bytes()
    if path.suffix == ".tokens":
        width, count = struct.unpack_from("<IQ", whole, 12)
        return whole[header:header + width * count]
    return whole[header:]


def numbered(source, name, header, size):
    """Arrays have no keys: the shards one behind the other are the files in the order of their names."""
    row("pack " + name, [run("pack", source, "out", "--format", name, "--sequence", 512)], size)
    row("verify " + name, [run("verify", "out")], size)
    expected = b"".join(path.read_bytes() for path in files(source))
    shards = files("out")
    found = b"".join(array(path, header) for path in shards if path.suffix in (".tokens", ".shard"))
    if found != expected:
        sys.exit(name + ": other bytes")
    if name == "mmap":
        row("unpack " + name, [run("unpack", "out", "back")], size)
        if b"".join(path.read_bytes() for path in files("back")) != expected:
            sys.exit("mmap: other bytes unpacked")
        shutil.rmtree("back")
    shutil.rmtree("out")


def killed(source, size):
    """kill -9 at random moments, resumed: no reader ever sees a bad shard, and the result is that of one run."""
    whole = run("pack", source, "whole", "--samples", 1000, "--shuffle", "--seed", 7)
    draw, landed = random.Random(SEED), 0
    while landed < KILLS:
        child = subprocess.Popen([VOLSH, "-q", "shard", "pack", source, "out", "--samples", "1000", "--shuffle", "--seed",
                                  "7"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            child.wait(draw.uniform(0.05, 0.9 * whole[1]))
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
            landed += 1
        if any(pathlib.Path("out").glob("*.tar")):
            run("verify", "out")
        if pathlib.Path("out/dataset.json").exists():
            require_equal("whole", "out")
            shutil.rmtree("out")      # complete: the next one begins anew
    run("pack", source, "out", "--samples", 1000, "--shuffle", "--seed", 7)
    require_equal("whole", "out")
    print("| pack killed %d times, resumed, equal | %.1f s each | | | |" % (landed, whole[1]))
    shutil.rmtree("out")
    shutil.rmtree("whole")


def damaged(source, size):
    """Bad input with a heap of 256 MiB: told in one line with the right exit code, and nothing half done."""
    heap = {"VOLSH_JAVA_OPTS": "-Xmx256m"}
    run("pack", source, "good", "--no-classes", env=heap)
    tar = files("good")[[path.suffix for path in files("good")].index(".tar")]
    whole = tar.read_bytes()
    os.mkdir("bad")
    bad = pathlib.Path("bad/a.tar")

    def told(what, code, *words):
        text, _, _, peak = run(*words, code=code, env=heap)
        errors = [line for line in text.splitlines() if line.startswith("error:")]
        if "Exception" in text or "OutOfMemory" in text or len(errors) > 1:
            sys.exit("%s: %s" % (what, text))
        print("| bad input: %s | exit %d | | | %d MiB |" % (what, code, peak))

    bad.write_bytes(whole[:len(whole) // 2])
    told("truncated shard, verify", 7, "verify", bad)
    told("truncated shard, unpack", 7, "unpack", bad, "back")
    if pathlib.Path("back/.volsh-pack").exists():
        sys.exit("something is left of a failed unpack")
    shutil.rmtree("back", ignore_errors=True)
    flipped = bytearray(whole)
    flipped[100] ^= 1
    bad.write_bytes(flipped)
    told("flipped bit in a header", 7, "verify", bad)
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 1
    bad.write_bytes(flipped)
    shutil.copy(str(tar) + ".idx", "bad/a.tar.idx")
    told("flipped bit in a file, found by the index", 7, "verify", bad)
    claim = bytearray(whole[:512])
    claim[124:136] = struct.pack(">Q", 10 << 30).rjust(12, b"\0")
    claim[124] = 0x80
    claim[148:156] = b" " * 8
    claim[148:156] = b"%06o\0 " % sum(claim)
    os.remove("bad/a.tar.idx")
    bad.write_bytes(bytes(claim) + whole[512:])
    told("a header that claims 10 GiB", 7, "verify", bad)
    bad.write_bytes(whole)
    lines = pathlib.Path(str(tar) + ".idx").read_text().splitlines()
    lines[1] = lines[2]
    pathlib.Path("bad/a.tar.idx").write_text("\n".join(lines) + "\n")
    told("an index that lies", 7, "verify", bad)
    pathlib.Path("bad/a.tar.idx").write_text("v1.2 2000000000\n")
    told("an index that claims 2,000,000,000 samples", 7, "verify", bad)
    pathlib.Path("list.csv").write_text("path,label\n%s,a\nnowhere.jpg,b\n" % files(source)[0])
    told("a manifest that names a missing file", 10, "pack", "list.csv", "fromlist")
    told("the same, --bad fail", 1, "pack", "list.csv", "fromlist2", "--bad", "fail")
    if pathlib.Path("fromlist2").exists() and files("fromlist2"):
        sys.exit("a refused pack left files")
    if os.getuid() == 0:
        os.mkdir("full")
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=%d" % (size // 2), "tmpfs", "full"], check=True)
        try:
            told("a full target, pack", 8, "pack", source, "full/shards", "--no-classes",
                 "--size", size // 8)
            if any(pathlib.Path("full/shards").glob("*.tar")):
                run("verify", "full/shards", env=heap)
            shutil.rmtree("full/shards")
            told("a full target, unpack", 8, "unpack", "good", "full/back")
        finally:
            subprocess.run(["umount", "full"], check=True)
    for name in ("good", "bad", "fromlist"):
        shutil.rmtree(name, ignore_errors=True)


def arrays():
    tree("vectors", "f32", random.Random(2), lambda draw: MEAN // 4 * 4)
    numbered("vectors", "mmap", 64, FILES * (MEAN // 4 * 4))
    shutil.rmtree("vectors")
    tree("tokens", "u16", random.Random(2), lambda draw: 2 * draw.randrange(1, MEAN))
    numbered("tokens", "tokens", 64, sum(path.stat().st_size for path in files("tokens")))
    shutil.rmtree("tokens")


def many():
    draw = random.Random(3)
    for i in range(SAMPLES):
        if i % 10000 == 0:
            os.makedirs("many/d%04d" % (i // 10000))
        with open("many/d%04d/s%08d.txt" % (i // 10000, i), "wb") as out:
            out.write(draw.randbytes(100))
    row("pack %d samples" % SAMPLES, [run("pack", "many", "out", "--no-classes", "--shuffle")], 100 * SAMPLES)
    row("verify them", [run("verify", "out")], 100 * SAMPLES)
    record = json.loads(pathlib.Path("out/dataset.json").read_text())
    if record["samples"] != SAMPLES:
        sys.exit("%d samples" % record["samples"])


def main():
    work = tempfile.mkdtemp(prefix="volsh-bench.", dir=os.environ.get("DIR", "/tmp"))
    os.environ["VOLSH_HOME"] = work + "/home"
    os.chdir(work)
    try:
        print("%d files, %d bytes mean, seed %d\n" % (FILES, MEAN, SEED))
        print("| | time | CPU time | rate | memory |\n|---|---|---|---|---|")
        tree("images", "jpg", random.Random(1), lambda draw: draw.randrange(1, 2 * MEAN))
        size = sum(path.stat().st_size for path in files("images"))
        for name in ("webdataset", "tfrecord", "mds", "records") if "formats" in PARTS else ():
            keyed("images", name, size)
        if "damaged" in PARTS:
            damaged("images", size)
        if "killed" in PARTS:
            killed("images", size)
        shutil.rmtree("images")
        if "arrays" in PARTS:
            arrays()
        if SAMPLES:
            many()
        print("\nall bytes are equal")
    finally:
        os.chdir("/")
        shutil.rmtree(work)


def stopped(*_):
    """SIGTERM cleans up, too."""
    sys.exit(143)


signal.signal(signal.SIGTERM, stopped)
main()
