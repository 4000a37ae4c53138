#!/usr/bin/env python3
"""What one operation on names and small files costs the process of a mount: its processor time, not wall time, which means little on a
machine that others use. Mounts a new volume and prints a table for the young mount (its first operations) and one for the warm mount.
  scripts/bench/metadata.py [DIRECTORY]    VOLSH=path/to/bin/volsh (default ./volsh) FILES=3000 WARM=20000 MOUNT='options' YOUNG=1000
Columns, each for one operation: server CPU of all threads; of those that compile and of those that collect garbage; requests from the
kernel; context switches of the server; its write calls (the log of SQLite); and, only for comparison within one run, operations per
second."""
import json, os, shutil, subprocess, sys, tempfile, time

top = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "/var/tmp")
project = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
volsh = os.environ.get("VOLSH", project + "/volsh")
files, warm, young = (int(os.environ.get(name, value)) for name, value in (("FILES", 3000), ("WARM", 20000), ("YOUNG", 1000)))
here = tempfile.mkdtemp(prefix="volsh-metadata.", dir=top)
os.environ["VOLSH_HOME"] = here + "/home"
mount = here + "/mount"


def run(*words):
    return subprocess.run([volsh, "-q", *words], check=True, stdout=subprocess.PIPE, text=True).stdout


def server():
    return int(run("mounts", "list", "-o", "value:pid").split()[0])


def sample(pid):
    found = {"cpu": 0, "jit": 0, "gc": 0, "switches": 0}
    for task in os.listdir("/proc/%d/task" % pid):
        base = "/proc/%d/task/%s/" % (pid, task)
        try:
            cpu = int(open(base + "schedstat").read().split()[0])
            name = open(base + "comm").read()
            status = open(base + "status").read()
        except OSError:
            continue
        found["cpu"] += cpu
        found["jit"] += cpu if "Compile" in name else 0
        found["gc"] += cpu if name.startswith(("GC", "ParGC", "VM Thread")) else 0
        found["switches"] += sum(int(line.split()[1]) for line in status.splitlines() if "ctxt_switches" in line)
    for line in open("/proc/%d/io" % pid):
        if line.startswith("syscw"):
            found["writes"] = int(line.split()[1])
    return found


def requests():
    return sum(row["count"] for row in json.loads(run("mounts", "stats", mount, "-o", "json")) if "metadata" not in row["operation"])


def measure(title, count, work, before=None):
    if before:
        before()
    asked = requests()
    begun, start = sample(pid), time.perf_counter()
    work(count)
    wall, ended = time.perf_counter() - start, sample(pid)
    cost = {name: (ended[name] - begun[name]) / count for name in begun}
    print("| %s | %.0f | %.0f | %.0f | %.2f | %.2f | %.2f | %.0f |" % (title, cost["cpu"] / 1e3, cost["jit"] / 1e3, cost["gc"] / 1e3,
        (requests() - asked) / count, cost["switches"], cost["writes"], count / wall), flush=True)


number = 0


def create(count):
    global number
    number += 1
    os.mkdir("%s/d%d" % (mount, number))
    for i in range(count):
        os.close(os.open("%s/d%d/f%d" % (mount, number, i), os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644))


def missing(count):
    for i in range(count):
        try:
            os.stat("%s/d%d/no%d" % (mount, number, i))
        except FileNotFoundError:
            pass


def stat(count):
    for i in range(count):
        os.stat("%s/d%d/f%d" % (mount, number, i))


def listing(count):
    with os.scandir("%s/d%d" % (mount, number)) as entries:
        assert len([entry.stat(follow_symlinks=False) for entry in entries]) == count


def rename(count):
    for i in range(count):
        os.rename("%s/d%d/f%d" % (mount, number, i), "%s/d%d/g%d" % (mount, number, i))


def unlink(count):
    for i in range(count):
        os.unlink("%s/d%d/g%d" % (mount, number, i))


def small(count, size):
    global number
    number += 1
    os.mkdir("%s/d%d" % (mount, number))
    for i in range(count):
        file = os.open("%s/d%d/g%d" % (mount, number, i), os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644)
        os.write(file, noise[i % 256:i % 256 + size])
        os.close(file)


def expired():
    time.sleep(1.2)   # what the kernel may answer by itself for a second, unless the mount knows that it is alone


def dropped():
    if drop:
        with open("/proc/sys/vm/drop_caches", "w") as file:
            file.write("2")
    expired()


noise = os.urandom(64 << 10)
drop = os.environ.get("DROP") == "1"


def table(title, count):
    print("\n%s, %d operations each, load %s\n" % (title, count, open("/proc/loadavg").read().split()[0]))
    print("| operation | CPU µs | of it compiling | garbage | requests | switches | writes | per second |\n|---|---|---|---|---|---|---|---|",
        flush=True)
    measure("create + close", count, create)
    measure("stat, nothing cached", count, stat, dropped)
    measure("lookup of a missing name", count, missing)
    measure("list with attributes", count, listing, dropped)
    measure("rename", count, rename)
    measure("unlink", count, unlink)
    measure("create + write 100 bytes + close", count, lambda count: small(count, 100))
    measure("unlink it", count, unlink)
    measure("create + write 7 KiB + close", count, lambda count: small(count, 7 << 10))
    measure("unlink it", count, unlink)


try:
    os.mkdir(mount)
    run("volume", "create", "bench")
    run("mount", "bench", mount, *os.environ.get("MOUNT", "").split())
    pid = server()
    table("young mount", young)
    for _ in range(4):
        create(warm // 4)
        expired()
        stat(warm // 4)
        missing(warm // 4)
        rename(warm // 4)
        unlink(warm // 4)
        small(warm // 8, 7 << 10)
        unlink(warm // 8)
    time.sleep(2)
    table("warm mount", files)
    print("\nresident memory: %d MiB" % (int([line for line in open("/proc/%d/status" % pid) if "VmRSS" in line][0].split()[1]) >> 10))
finally:
    subprocess.run([volsh, "-q", "umount", mount], stderr=subprocess.DEVNULL)
    shutil.rmtree(here, ignore_errors=True)
