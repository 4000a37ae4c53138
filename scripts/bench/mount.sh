#!/bin/bash
# A mount beside bindfs and a local directory, measured in one run. Prints a Markdown table; needs root, bindfs and python3.
#   scripts/bench/mount.sh [DIRECTORY]      works below DIRECTORY (default /var/tmp)    VOLSH=path/to/bin/volsh (default ./volsh)
#                                           SIZE=1024 (MiB written) CACHED=160 (MiB read) FILES=10000 ROUNDS=3 MOUNT='options'
set -euo pipefail
project=$(cd "$(dirname "$0")/../.." && pwd)
volsh=${VOLSH:-$project/volsh}
here=$(mktemp -d "${1:-/var/tmp}/volsh-bench.XXXXXX")
size=${SIZE:-1024} cached=${CACHED:-160} files=${FILES:-10000} rounds=${ROUNDS:-3}
command -v bindfs > /dev/null || { echo 'mount.sh needs bindfs: apt-get install bindfs' >&2; exit 1; }
export VOLSH_HOME=$here/home

cleanup() {
    umount -l "$here/bindfs" "$here/bindfs-kept" 2> /dev/null || true
    "$volsh" -q umount "$here/volsh" 2> /dev/null || umount -l "$here/volsh" 2> /dev/null || true
    rm -rf "$here"
}
trap cleanup EXIT

mkdir "$here"/{local,below,bindfs,bindfs-kept,volsh}
chmod 755 "$here"
bindfs "$here/below" "$here/bindfs"
bindfs -o kernel_cache "$here/below" "$here/bindfs-kept"
"$volsh" -q volume create bench > "$here/log"
# shellcheck disable=SC2086  # a list of options
"$volsh" -q mount bench "$here/volsh" ${MOUNT:-} > "$here/log"

cat > "$here/bench.py" <<'END'
import mmap, os, random, subprocess, sys, time

top, size, cached, files, rounds = sys.argv[1], int(sys.argv[2]) << 20, int(sys.argv[3]) << 20, int(sys.argv[4]), int(sys.argv[5])
targets = ["local", "bindfs", "volsh"]
results = {}


def drop():
    subprocess.run(["sync"], check=True)
    with open("/proc/sys/vm/drop_caches", "w") as f:
        f.write("3")


def measure(title, unit, amount, work, before=lambda target: None):
    rates = {target: [] for target in targets}
    for _ in range(rounds):
        for target in targets:   # in turns: what else the machine does meets all of them
            before(target)
            start = time.perf_counter()
            work(target)
            rates[target].append(amount / (time.perf_counter() - start))
    for target in targets:
        results[title, target] = sorted(rates[target])[rounds // 2]
    l, b, v = (results[title, t] for t in targets)
    print("| %s | %.0f | %.0f | %.0f | %s | %.2f | %.2f |" % (title, l, b, v, unit, v / l, v / b), flush=True)


def path(target, name):
    return os.path.join(top, target, name)


buffer = mmap.mmap(-1, 1 << 20)
noise = os.urandom(16 << 20)


def write(target, name="big", length=size):
    file = os.open(path(target, name), os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o644)
    view = memoryview(noise)
    for i in range(length >> 20):
        at = i % 16 << 20
        os.write(file, view[at:at + (1 << 20)])
    os.fsync(file)
    os.close(file)


def read(flags):
    def run(target):
        file = os.open(path(target, "cached"), os.O_RDONLY | flags)
        at = 0
        while at < cached:
            at += os.preadv(file, [buffer], at)
        os.close(file)
    return run


def random_reads(count):
    small = mmap.mmap(-1, 4096)

    def run(target):
        rnd = random.Random(1)
        file = os.open(path(target, "cached"), os.O_RDONLY | os.O_DIRECT)
        span = min(cached, 64 << 20) >> 12
        for _ in range(count):
            os.preadv(file, [small], rnd.randrange(span) << 12)
        os.close(file)
    return run


number = 0


def create(count):
    def run(target):
        global number
        number += 1
        d = path(target, "c%d" % number)
        os.mkdir(d)
        for i in range(count):
            os.close(os.open(d + "/f%05d" % i, os.O_CREAT | os.O_WRONLY | os.O_EXCL, 0o644))
    return run


def fill(target):
    d = path(target, "many")
    for i in range(files):
        if i % 100 == 0:
            os.makedirs(d + "/d%03d" % (i // 100))
        os.close(os.open(d + "/d%03d/f%05d" % (i // 100, i), os.O_CREAT | os.O_WRONLY, 0o644))


def cold_stat(target):
    d = path(target, "many")
    for i in range(files):
        os.stat(d + "/d%03d/f%05d" % (i // 100, i))


def shell(*command):
    return lambda target: subprocess.run([*command, path(target, "many")], check=True, stdout=subprocess.DEVNULL)


def refill(target):
    subprocess.run(["rm", "-rf", path(target, "many")], check=True)
    fill(target)


print("| what | local | bindfs | volsh | unit | volsh/local | volsh/bindfs |")
print("|---|---|---|---|---|---|---|", flush=True)
measure("sequential write 1 MiB + fsync", "MB/s", size / 1e6, write)
for target in targets:
    os.unlink(path(target, "big"))
    write(target, "cached", cached)
    for _ in range(3):
        read(os.O_DIRECT)(target)
measure("sequential read 1 MiB O_DIRECT", "MB/s", cached / 1e6, read(os.O_DIRECT))
for target in targets:
    random_reads(2000)(target)
measure("random read 4 KiB O_DIRECT", "ops/s", 10000, random_reads(10000))
targets[1] = "bindfs-kept"
for target in targets:
    read(0)(target)
measure("warm page cache re-read (bindfs with kernel_cache)", "MB/s", cached / 1e6, read(0))
targets[1] = "bindfs"
measure("create + close, just mounted", "files/s", 3000, create(3000))
for target in targets:
    create(15000)(target)   # a mount runs for long: by then its code is compiled
measure("create + close", "files/s", 3000, create(3000))
for target in targets:
    fill(target)
measure("stat, nothing cached", "files/s", files, cold_stat, lambda target: drop())
measure("find", "files/s", files, shell("find"), lambda target: drop())
measure("ls -lR", "files/s", files, shell("ls", "-lR"), lambda target: drop())
measure("rm -rf", "files/s", files, shell("rm", "-rf"), refill)
END
python3 "$here/bench.py" "$here" "$size" "$cached" "$files" "$rounds"
echo
pid=$("$volsh" mounts list -o value:pid)
echo "resident memory of the mount: $(awk '/VmRSS/ { print int($2 / 1024) " MiB" }' "/proc/$pid/status")"
