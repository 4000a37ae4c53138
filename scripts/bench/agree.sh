#!/bin/bash
# volsh's benches beside fio and dd on the same file, and volsh iostat beside sysstat's. Prints Markdown tables; needs root, fio, sysstat and python3.
#   scripts/bench/agree.sh [DIRECTORY]      works below DIRECTORY (default /var/tmp)    VOLSH=path/to/bin/volsh (default ./volsh)
#                                           SIZE=512 (MiB) SECONDS_EACH=0.7 ROUNDS=9 PARTS=held,open,memory,iostat
# First the disk is held to a rate by a control group, so that it is the same for everybody who asks; then as it is. The tools take turns, each of them first
# once in a while, and the medians count. A disk that others use, too, may be another one a second later: "fio's half" is where the middle half of fio's own
# rounds lies, over its median, and there are more rounds, up to three times ROUNDS, as long as fio's odd rounds are more than 5 % from its even ones.
# fio and volsh both begin with a moment that does not count: it also uses up what the control group lets through at first.
# What is luck on a virtual machine is left out as far as can be: memory that was freed seconds ago may be slow, so before a cold read the file is in the page
# cache until the tool itself drops it; and a buffer in one piece is read into several times as fast as one in 256, so
# the kernel is told to hand out memory in large pieces while this runs (transparent_hugepage/hugepages-*kB, put back at the end).
# Ends with "agree" and 0, or with NOT and 1. A row agrees within 10 % of fio and dd (iostat: 5 %); on the disk as it is also within the middle half of their
# rounds where that is wider, and such rows are named.
set -euo pipefail
project=$(cd "$(dirname "$0")/../.." && pwd)
for program in fio iostat python3; do
    command -v $program > /dev/null || { echo 'agree.sh needs fio, sysstat and python3: apt-get install fio sysstat python3' >&2; exit 1; }
done
[ "$(id -u)" = 0 ] || { echo 'agree.sh needs root: it holds the disk to a rate by a control group' >&2; exit 1; }
here=$(mktemp -d "${1:-/var/tmp}/volsh-agree.XXXXXX")
trap 'rm -rf "$here"' EXIT
trap 'kill $! 2> /dev/null || true; wait || true; exit 143' TERM
export VOLSH_HOME=$here/home
python3 - "${VOLSH:-$project/volsh}" "$here" "${SIZE:-512}" "${SECONDS_EACH:-0.7}" "${ROUNDS:-9}" "${PARTS:-held,open,memory,iostat}" <<'END' &
import glob, json, os, re, signal, statistics, subprocess, sys, time

signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))     # the control group goes, whoever ends us

volsh, here, size, seconds, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4]), int(sys.argv[5])
parts = sys.argv[6].split(",")
data = os.path.join(here, "data")
os.mkdir(data)
apart = []
unsteady = []


class Group:
    """A control group whose members the disk serves at a rate; version 1 or 2, whichever has the controller."""
    def __init__(self, directory):
        number = os.stat(directory).st_dev
        device = os.path.realpath("/sys/dev/block/%d:%d" % (os.major(number), os.minor(number)))
        if os.path.exists(os.path.join(device, "partition")):
            device = os.path.dirname(device)
        self.device = open(os.path.join(device, "dev")).read().strip()
        self.old = os.path.exists("/sys/fs/cgroup/blkio/blkio.throttle.read_bps_device")
        self.path = None
        top = "/sys/fs/cgroup/blkio" if self.old else "/sys/fs/cgroup"
        if not self.old:
            if "io" not in open(os.path.join(top, "cgroup.controllers")).read().split():
                raise OSError("no control group limits I/O")
            with open(os.path.join(top, "cgroup.subtree_control"), "w") as control:
                control.write("+io")
        self.path = os.path.join(top, "volsh-agree-%d" % os.getpid())
        os.mkdir(self.path)

    def limit(self, **limits):
        for kind in ("rbps", "wbps", "riops", "wiops"):
            value = limits.get(kind, 0)
            if self.old:
                name = "blkio.throttle.%s_%s_device" % ("read" if kind[0] == "r" else "write", kind[1:])
                text = "%s %d" % (self.device, value)
            else:
                name, text = "io.max", "%s %s=%s" % (self.device, kind, value or "max")
            with open(os.path.join(self.path, name), "w") as control:
                control.write(text)

    def enter(self):
        with open(os.path.join(self.path, "cgroup.procs"), "w") as members:
            members.write(str(os.getpid()))

    def close(self):
        if self.path:
            os.rmdir(self.path)


class LargePieces:
    """Memory of programs comes in physically contiguous pieces of up to 1 MiB, where the kernel can do that."""
    def __init__(self):
        self.old = {}
        for name in glob.glob("/sys/kernel/mm/transparent_hugepage/hugepages-*kB/enabled"):
            if int(re.search(r"hugepages-(\d+)kB", name).group(1)) <= 1024:
                with open(name) as setting:
                    self.old[name] = re.search(r"\[(\w+)\]", setting.read()).group(1)
        self.set({name: "always" for name in self.old})

    def set(self, values):
        for name, value in values.items():
            with open(name, "w") as setting:
                setting.write(value)

    def close(self):
        self.set(self.old)


group = None
held = False


def run(*words, **more):
    inside = group.enter if held else None
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True, preexec_fn=inside, **more)


def forget(name):
    """The page cache has nothing of it any more. Dropping everything would have all programs of the machine read themselves again, beside what is measured."""
    with open(name) as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def filled(mebibytes):
    """The file that all tools read, in the page cache: volsh and fio drop it themselves in the moment before they read."""
    name = os.path.join(data, "read-%d" % mebibytes)
    if not os.path.exists(name):
        with open(name, "wb") as out:
            for _ in range(mebibytes):
                out.write(os.urandom(1 << 20))
            out.flush()
            os.fsync(out.fileno())
    with open(name, "rb", buffering=0) as file:
        while file.read(1 << 20):
            pass
    return name


def fresh(name):
    """For a file that is to be written: what others wrote before is gone, from the disk and from memory."""
    for each in ("fio", "dd"):
        path = os.path.join(data, each)
        if os.path.exists(path):
            os.unlink(path)
    os.sync()
    return os.path.join(data, name)


def ours(profile, phases, mebibytes, *options, write=False):
    def measure():
        target = os.path.dirname(fresh("volsh")) if write else filled(mebibytes)
        rows = json.loads(run(volsh, "-q", "bench", "run", profile, "--on", target, "--size", "%dMiB" % mebibytes, "-o", "json", *options).stdout)
        row = next(row for row in rows if row["phase"] in phases)
        return row["perSecond"] if row["ioBytes"] == 4096 else row["rateBytesPerSecond"] / 1e6
    return measure


def fio(unit, mebibytes, *options, write=False):
    def measure():
        name = fresh("fio") if write else filled(mebibytes)
        report = run("fio", "--name=x", "--filename=" + name, "--size=%dM" % mebibytes, "--ioengine=psync", "--fallocate=none", "--fadvise_hint=0", "--thread", "--group_reporting",
                     "--output-format=json", *options)
        job = json.loads(report.stdout[report.stdout.index("{"):])["jobs"][0]
        side = job["write" if write else "read"]
        return side["iops"] if unit == "ops/s" else side["bw_bytes"] / 1e6
    return measure


def dd(mebibytes, *options, write=False):
    def measure():
        name = fresh("dd") if write else filled(mebibytes)
        if not write:
            forget(name)
        place = ["if=/dev/zero", "of=" + name] if write else ["if=" + name, "of=/dev/null"]
        text = run("dd", "bs=1M", "count=%d" % mebibytes, *place, *options, env=dict(os.environ, LC_ALL="C")).stderr
        return mebibytes * 1.048576 / float(re.search(r"copied, ([0-9.e-]+) s", text).group(1))
    return measure


def control(values):
    return statistics.median(values[0::2]) / statistics.median(values[1::2])


def half(values):
    """Where the middle half of them lies, over their median."""
    ordered = sorted(values)
    return [ordered[len(ordered) // 4] / statistics.median(ordered), ordered[-1 - len(ordered) // 4] / statistics.median(ordered)]


def compare(title, unit, **tools):
    taken = {name: [] for name in tools}
    order = list(tools)
    least = 3 if held else max(2, rounds)
    while len(taken["fio"]) < least or len(taken["fio"]) < 3 * least and abs(control(taken["fio"]) - 1) > 0.05:
        for name in order:
            taken[name].append(tools[name]())
        order = order[1:] + order[:1]
    middle = {name: statistics.median(values) for name, values in taken.items()}
    ratios = {name: middle["volsh"] / value for name, value in middle.items() if name != "volsh"}
    for name, ratio in ratios.items():
        low, high = half(taken[name])
        if not 0.9 <= ratio <= 1.1:
            within = not held and low <= ratio <= high
            (unsteady if within else apart).append("%s%s: %.2f of %s, whose own rounds are from %.2f to %.2f" % (title, " (held)" if held else "", ratio, name, low, high))
    cell = lambda name, format: format % (middle if format == "%.0f" else ratios)[name] if name in middle else "-"
    print("| %s | %s | %s | %s | %s | %s | %s | %s | %d |" % (title, unit, cell("volsh", "%.0f"), cell("fio", "%.0f"), cell("dd", "%.0f"), cell("fio", "%.2f"),
                                                              cell("dd", "%.2f"), "%.2f to %.2f" % tuple(half(taken["fio"])), len(taken["fio"])), flush=True)


def table(title, mebibytes, limits):
    print("| %s | unit | volsh | fio | dd | volsh/fio | volsh/dd | fio's half | rounds |\n|---|---|---|---|---|---|---|---|---|" % title, flush=True)
    time_based = ("--time_based", "--ramp_time=300ms", "--runtime=%dms" % (seconds * 1000))
    spell = ("--duration", "%dms" % (seconds * 1000))
    limits(rbps=64_000_000)
    compare("read 1 MiB, past the page cache", "MB/s", volsh=ours("seqread", ("read-cold", "read"), mebibytes, "--direct"),
            fio=fio("MB/s", mebibytes, "--rw=read", "--bs=1M", "--direct=1"), dd=dd(mebibytes, "iflag=direct"))
    compare("read 1 MiB, cold", "MB/s", volsh=ours("seqread", ("read-cold",), mebibytes), fio=fio("MB/s", mebibytes, "--rw=read", "--bs=1M"), dd=dd(mebibytes))
    limits(riops=2_000)
    compare("read 4 KiB at random, 1 thread, past the page cache", "ops/s", volsh=ours("randread", ("randread",), mebibytes, "--direct", *spell),
            fio=fio("ops/s", mebibytes, "--rw=randread", "--bs=4k", "--direct=1", *time_based))
    limits(riops=20_000)
    compare("read 4 KiB at random, 16 threads, past the page cache", "ops/s", volsh=ours("randread", ("randread",), mebibytes, "--direct", "--threads", 16, *spell),
            fio=fio("ops/s", mebibytes, "--rw=randread", "--bs=4k", "--direct=1", "--numjobs=16", *time_based))
    limits(wiops=500)
    compare("write 4 KiB + fsync each", "ops/s", volsh=ours("fsync", ("write+fsync",), mebibytes, *spell, write=True),
            fio=fio("ops/s", mebibytes, "--rw=write", "--bs=4k", "--fsync=1", *time_based, write=True))
    limits(wbps=64_000_000)
    compare("write 1 MiB, fsync at the end", "MB/s", volsh=ours("seqwrite", ("write+fsync",), mebibytes, write=True),
            fio=fio("MB/s", mebibytes, "--rw=write", "--bs=1M", "--end_fsync=1", write=True), dd=dd(mebibytes, "conv=fsync", write=True))


pieces = None
try:
    pieces = LargePieces()
    if "held" in parts:
        try:
            group = Group(data)
            held = True
        except OSError as refused:
            apart.append("the disk cannot be held to a rate here: %s" % refused)
    if held:
        table("the disk held to 64 MB/s, 2,000 (16 threads: 20,000) reads/s, 500 writes/s", min(size, 128), group.limit)
        held = False
        print()
    if "open" in parts:
        table("the disk as it is", size, lambda **_: None)
finally:
    if pieces:
        pieces.close()
    if group:
        group.close()

# What an operation costs without a disk: the file is in memory.
for each in os.listdir(data):
    os.unlink(os.path.join(data, each))
memory = "/dev/shm/volsh-agree-%d" % os.getpid()
if "memory" in parts and os.path.isdir("/dev/shm"):
    os.mkdir(memory)
    try:
        data = memory
        spell = "%dms" % (seconds * 1000)
        costs = {"volsh": [], "fio": []}
        for _ in range(3):
            costs["volsh"].append(1e6 / ours("randread", ("randread",), 64, "--duration", spell)())
            costs["fio"].append(1e6 / fio("ops/s", 64, "--rw=randread", "--bs=4k", "--time_based", "--runtime=" + spell)())
        print("\nA read of 4 KiB from memory, with all that the tool does around it: volsh %.2f us, fio %.2f us."
              % (statistics.median(costs["volsh"]), statistics.median(costs["fio"])), flush=True)
    finally:
        for each in os.listdir(memory):
            os.unlink(os.path.join(memory, each))
        os.rmdir(memory)
        data = os.path.join(here, "data")

# iostat: the same seconds, with a steady load, on another processor than ours: volsh starts while sysstat looks already, and what waits for a processor then
# counts as a busy disk.
if "iostat" in parts:
    device = os.path.basename(os.path.realpath(run("findmnt", "-n", "-o", "SOURCE", "-T", data).stdout.strip()))
    name = filled(size)
    run(volsh, "iostat", "--interval", "100ms")     # its files are in the page cache now: starting it must not be seen
    load = subprocess.Popen(["taskset", "-c", "0", "fio", "--name=x", "--filename=" + name, "--size=%dM" % size, "--ioengine=psync", "--rw=randrw", "--bs=16k", "--direct=1", "--thread",
                             "--rate_iops=3000,1000", "--time_based", "--runtime=60s"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        time.sleep(3)
        system = subprocess.Popen(["iostat", "-dxky", "-o", "JSON", device, "20", "1"], stdout=subprocess.PIPE, text=True)
        mine = json.loads(run("taskset", "-c", "1", volsh, "iostat", device, "--interval", "20s", "-o", "json").stdout)[0]
        theirs = json.loads(system.communicate()[0])["sysstat"]["hosts"][0]["statistics"][0]["disk"][0]
    finally:
        load.kill()
        load.wait()
    print("\n| iostat of %s, the same 20 s | volsh | sysstat | volsh/sysstat |\n|---|---|---|---|" % device)
    pairs = [("reads/s", mine["reads"], theirs["r/s"]), ("writes/s", mine["writes"], theirs["w/s"]),
             ("read MB/s", mine["readBytesPerSecond"] / 1e6, theirs["rkB/s"] * 1.024e-3), ("written MB/s", mine["writtenBytesPerSecond"] / 1e6, theirs["wkB/s"] * 1.024e-3),
             ("busy %", mine["busy"], theirs["util"])]
    for title, one, other in pairs:
        ratio = one / other
        if not 0.95 <= ratio <= 1.05:
            apart.append("iostat %s: %.3f" % (title, ratio))
        print("| %s | %.2f | %.2f | %.3f |" % (title, one, other, ratio))
if unsteady:
    print("\nWithin what the other tool's own rounds differ by:\n" + "\n".join("- " + each for each in unsteady))
if apart:
    print("\nNOT within 10 %% (iostat: 5 %%), of %s:\n" % ", ".join(parts) + "\n".join("- " + each for each in apart))
    sys.exit(1)
print("\nagree (%s): %s within 10 %% of fio and dd, iostat within 5 %% of sysstat" % (", ".join(parts), "every row" if not unsteady else "every row but %d" % len(unsteady)))
END
wait $!
