#!/bin/bash
# volsh's benches beside fio and dd on the same directory, and volsh iostat beside sysstat's. Prints Markdown tables; needs root, fio, sysstat and python3.
#   scripts/bench/agree.sh [DIRECTORY]      works below DIRECTORY (default /var/tmp)    VOLSH=path/to/bin/volsh (default ./volsh)
#                                           SIZE=256 (MiB) SECONDS_EACH=2 ROUNDS=5
# The tools take turns, and the best of each one's rounds counts: what else a shared disk does only makes a round slower.
# Exit 1 if that is further from fio's or dd's than 10 %, or a number of iostat than 5 %.
set -euo pipefail
project=$(cd "$(dirname "$0")/../.." && pwd)
for program in fio iostat python3; do
    command -v $program > /dev/null || { echo 'agree.sh needs fio, sysstat and python3: apt-get install fio sysstat python3' >&2; exit 1; }
done
here=$(mktemp -d "${1:-/var/tmp}/volsh-agree.XXXXXX")
trap 'rm -rf "$here"' EXIT
export VOLSH_HOME=$here/home
python3 - "${VOLSH:-$project/volsh}" "$here" "${SIZE:-256}" "${SECONDS_EACH:-2}" "${ROUNDS:-5}" <<'END'
import json, os, re, subprocess, sys, time

volsh, here, size, seconds, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4]), int(sys.argv[5])
data = os.path.join(here, "data")
os.mkdir(data)
good = True


def run(*words, **more):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True, **more)


def drop():
    run("sync")
    with open("/proc/sys/vm/drop_caches", "w") as switch:
        switch.write("3")


def ours(profile, phase, *options):
    def measure():
        rows = json.loads(run(volsh, "-q", "bench", "run", profile, "--on", data, "--size", "%dMiB" % size, "-o", "json", *options).stdout)
        row = next(row for row in rows if row["phase"] in phase)
        return row["perSecond"] if row["ioBytes"] == 4096 else row["rateBytesPerSecond"] / 1e6
    return measure


def prepared(name, write):
    """No file to write, and to read one that was written just now, as volsh's benches write theirs."""
    if os.path.exists(name):
        os.unlink(name)
    if not write:
        run("dd", "if=/dev/urandom", "of=" + name, "bs=1M", "count=%d" % size, "conv=fsync")
    drop()
    return name


def fio(unit, *options, write=False):
    def measure():
        name = prepared(os.path.join(data, "fio"), write)
        report = run("fio", "--name=x", "--filename=" + name, "--size=%dM" % size, "--ioengine=psync", "--fallocate=none", "--thread", "--group_reporting", "--output-format=json", *options)
        job = json.loads(report.stdout[report.stdout.index("{"):])["jobs"][0]
        side = job["write" if job["write"]["total_ios"] else "read"]
        return side["iops"] if unit == "ops/s" else side["bw_bytes"] / 1e6
    return measure


def dd(*options, write=False):
    def measure():
        name = prepared(os.path.join(data, "dd"), write)
        place = ["if=/dev/zero", "of=" + name] if write else ["if=" + name, "of=/dev/null"]
        text = run("dd", "bs=1M", "count=%d" % size, *place, *options, env=dict(os.environ, LC_ALL="C")).stderr
        return size * 1.048576 / float(re.search(r"copied, ([0-9.e-]+) s", text).group(1))
    return measure


def compare(title, unit, **tools):
    global good
    taken = {name: [] for name in tools}
    for _ in range(rounds):
        for name, measure in tools.items():
            taken[name].append(measure())
    best = {name: max(values) for name, values in taken.items()}
    ratios = {name: best["volsh"] / value for name, value in best.items() if name != "volsh"}
    good = good and all(0.9 <= ratio <= 1.1 for ratio in ratios.values())
    cell = lambda name, format: format % (best if format == "%.0f" else ratios)[name] if name in best else "-"
    print("| %s | %s | %s | %s | %s | %s | %s |" % (title, unit, cell("volsh", "%.0f"), cell("fio", "%.0f"), cell("dd", "%.0f"),
                                                   cell("fio", "%.2f"), cell("dd", "%.2f")), flush=True)


time_based = ("--time_based", "--runtime=%gs" % seconds)
spell = ("--duration", "%dms" % (seconds * 1000))
print("| what | unit | volsh | fio | dd | volsh/fio | volsh/dd |\n|---|---|---|---|---|---|---|", flush=True)
compare("read 1 MiB, past the page cache", "MB/s", volsh=ours("seqread", ("read-cold", "read"), "--direct"), fio=fio("MB/s", "--rw=read", "--bs=1M", "--direct=1"),
        dd=dd("iflag=direct"))
compare("read 1 MiB, cold", "MB/s", volsh=ours("seqread", ("read-cold",)), fio=fio("MB/s", "--rw=read", "--bs=1M", "--fadvise_hint=0"), dd=dd())
compare("read 4 KiB at random, 1 thread, past the page cache", "ops/s", volsh=ours("randread", ("randread",), "--direct", *spell),
        fio=fio("ops/s", "--rw=randread", "--bs=4k", "--direct=1", *time_based))
compare("read 4 KiB at random, 16 threads, past the page cache", "ops/s", volsh=ours("randread", ("randread",), "--direct", "--threads", 16, *spell),
        fio=fio("ops/s", "--rw=randread", "--bs=4k", "--direct=1", "--numjobs=16", *time_based))
compare("write 4 KiB + fsync each", "ops/s", volsh=ours("fsync", ("write+fsync",), *spell),
        fio=fio("ops/s", "--rw=write", "--bs=4k", "--fsync=1", *time_based, write=True))
# fio leaves its end_fsync out of the rate; a sync behind so many writes is in it.
compare("write 1 MiB, fsync at the end", "MB/s", volsh=ours("seqwrite", ("write+fsync",)), fio=fio("MB/s", "--rw=write", "--bs=1M", "--fsync=%d" % size, write=True),
        dd=dd("conv=fsync", write=True))

# iostat: the same seconds, with a steady load.
device = os.path.basename(os.path.realpath(run("findmnt", "-n", "-o", "SOURCE", "-T", data).stdout.strip()))
prepared(os.path.join(data, "fio"), False)
run(volsh, "iostat", "--interval", "100ms")     # its files are in the page cache now: starting it must not be seen
load = subprocess.Popen(["fio", "--name=x", "--filename=" + os.path.join(data, "fio"), "--size=%dM" % size, "--ioengine=psync", "--rw=randrw", "--bs=16k", "--direct=1", "--thread",
                         "--rate_iops=3000,1000", "--time_based", "--runtime=60s"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
try:
    time.sleep(3)
    system = subprocess.Popen(["iostat", "-dxky", "-o", "JSON", device, "20", "1"], stdout=subprocess.PIPE, text=True)
    mine = json.loads(run(volsh, "iostat", device, "--interval", "20s", "-o", "json").stdout)[0]
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
    good = good and 0.95 <= ratio <= 1.05
    print("| %s | %.2f | %.2f | %.3f |" % (title, one, other, ratio))
print("\n%s" % ("all within 10 % (iostat: 5 %)" if good else "NOT all within 10 % (iostat: 5 %)"))
sys.exit(0 if good else 1)
END
