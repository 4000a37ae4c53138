#!/usr/bin/env python3
"""The measurements of peers.sh, which starts this: peers.py DIRECTORY S3PROXY-JAR."""
import datetime, json, mmap, os, random, re, resource, shutil, signal, socket, subprocess, sys, time, urllib.request

here, jar = sys.argv[1:3]
volsh = os.environ["VOLSH"]
rounds, scale = int(os.environ.get("ROUNDS", 3)), float(os.environ.get("SCALE", 1))
minutes = float(os.environ.get("MINUTES", 22))   # no round begins that would end later
NAMES = ["local", "bindfs", "volsh", "volsh-s3", "volsh-s3-wb", "rclone", "s3fs"]
names = [name for name in NAMES if name in os.environ.get("ONLY", " ".join(NAMES)).split()]
wanted = re.compile(os.environ.get("ROWS", ""))
os.environ.update(VOLSH_HOME=here + "/home", AWS_ACCESS_KEY_ID="local", AWS_SECRET_ACCESS_KEY="local")
os.environ.pop("AWS_CA_BUNDLE", None)   # rclone refuses plain HTTP when it is set

# Whom each of ours is compared with, and why a peer may be first.
PEERS = {"volsh": ["bindfs"], "volsh-s3": ["rclone", "s3fs"], "volsh-s3-wb": ["rclone", "s3fs"]}
WHY = {
    "sequential write + fsync": "rclone's fsync only puts the bytes into a local file: compare the row below",
    "checkpoint: save": "rclone's fsync only puts the bytes into a local file: compare the row below",
    "sequential read, cold": "s3fs reads the whole file ahead with many requests and checks no byte of it",
    "checkpoint: load, cold": "s3fs reads the whole file ahead with many requests and checks no byte of it",
    "sequential read, warm": "the kernel's page cache answers, mostly; the rest is noise",
    "random reads of 4 KiB, cold": "s3fs fetches the whole file first and reads a local one; bindfs reads the page cache that readahead of the disk filled",
    "files of 4 KiB: create, write, close": "bindfs passes each call on to the local file system; volsh commits a transaction for the name and one for the bytes",
    "files of 4 KiB: read, cold": "bindfs passes each call on; volsh looks up and checks a row or a block for each file",
    "cp -r, files of 7 KiB": "bindfs passes each call on to the local file system; volsh commits a transaction for the name and one for the bytes",
    "create, 1 process": "bindfs passes each call on to the local file system",
    "create, 4 processes": "bindfs passes each call on to the local file system",
    "ls -lR, cold": "the mount has just started, and its code is not compiled yet",
    "find, cold": "bindfs lists a directory with one system call, volsh with a query per directory",
    "ls -lR, warm": "rclone lets the kernel keep names and attributes for a second or more whatever happens in the bucket",
    "stat, 4 processes": "on two processors the four programs and the mount take turns",
    "stat, 1 process": "rclone answers from what it remembers of the bucket, without looking",
    "unlink, 1 process": "bindfs has the local file system do it",
    "unlink, 4 processes": "bindfs has the local file system do it",
    "rm -rf": "bindfs has the local file system do it",
}


def amount(full, least=1):
    return max(least, int(full * scale))


MIB = amount(512, 32)
CHECKPOINT = amount(512, 32)
READS = amount(2000, 200)
FILES = amount(2000, 100)
TREE = amount(10000, 500)
EMPTY = amount(4000, 400)
SLOW = {"s3fs": 5}   # makes few files a second: so many times fewer


def few(name, count):
    return count // SLOW.get(name, 1)


def run(*words):
    with open(here + "/errors", "w+") as errors:   # a pipe would stay open in the mount that a command starts
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=errors, text=True)
        if done.returncode:
            errors.seek(0)
            sys.exit("peers.py: %s: exit %d: %s" % (" ".join(words), done.returncode, errors.read().strip()))
        return done.stdout


def ours(*words):
    return run(volsh, "-q", *words)


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


# ---- the mounts

port, rclone_port = free_port(), free_port()
endpoint = "http://127.0.0.1:%d" % port
started = {}


def start(name, *words):
    log = open("%s/%s.log" % (here, name), "a")
    started[name] = subprocess.Popen(words, stdout=log, stderr=log)


def until(what, done, seconds=60):
    end = time.monotonic() + seconds
    while not done():
        if time.monotonic() > end:
            sys.exit("peers.py: %s" % what)
        time.sleep(0.05)


def answers():
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def prepare():
    for name in names:
        os.makedirs("%s/%s" % (here, name))
        os.makedirs("%s/cache-%s" % (here, name))
    for directory in ("below", "objects", "tmp"):
        os.makedirs("%s/%s" % (here, directory))
    os.chmod(here, 0o755)
    if any("s3" in name or name == "rclone" for name in names):
        with open(here + "/s3proxy.conf", "w") as conf:
            conf.write("s3proxy.endpoint=%s\ns3proxy.authorization=none\njclouds.provider=filesystem-nio2\njclouds.filesystem.basedir=%s/objects\n"
                "jclouds.identity=local\njclouds.credential=local\n" % (endpoint, here))
        start("server", os.environ["VOLSH_JDK"] + "/bin/java", "-Xmx1g", "-Djava.io.tmpdir=%s/tmp" % here, "-cp", jar,
            "org.gaul.s3proxy.Main", "--properties", here + "/s3proxy.conf")
        until("the S3 server did not start", answers)
        for name in names:
            urllib.request.urlopen(urllib.request.Request("%s/bench-%s" % (endpoint, name), method="PUT"))
    for name in names:
        if name.startswith("volsh-"):
            ours("store", "add", name, "s3://bench-" + name, "--endpoint", endpoint, "--region", "us-east-1")
            ours("volume", "create", name, "--store", name)
        elif name == "volsh":
            ours("volume", "create", name)
    with open(here + "/passwd", "w") as file:
        file.write("local:local\n")
    os.chmod(here + "/passwd", 0o600)
    for name in names:
        up(name)


def up(name):
    top, cache = "%s/%s" % (here, name), "%s/cache-%s" % (here, name)
    if name == "volsh":
        ours("mount", name, top)
    elif name == "volsh-s3":
        ours("mount", name, top, "--cache-dir", cache)
    elif name == "volsh-s3-wb":
        ours("mount", name, top, "--cache-dir", cache, "--writeback", "--journal-dir", here + "/journal")
    elif name == "bindfs":
        start(name, "bindfs", "-f", here + "/below", top)
    elif name == "rclone":
        start(name, "rclone", "mount", ":s3:bench-rclone", top, "--config", "/dev/null", "--vfs-cache-mode", "full", "--cache-dir", cache,
            "--s3-provider", "Other", "--s3-endpoint", endpoint, "--s3-access-key-id", "local", "--s3-secret-access-key", "local",
            "--s3-region", "us-east-1", "--rc", "--rc-addr", "127.0.0.1:%d" % rclone_port, "--rc-no-auth")
    elif name == "s3fs":
        start(name, "s3fs", "bench-s3fs", top, "-f", "-o", "url=" + endpoint, "-o", "use_path_request_style", "-o",
            "passwd_file=%s/passwd" % here, "-o", "use_cache=" + cache, "-o", "tmpdir=%s/tmp" % here)
    if name != "local":
        until("%s did not mount: see %s/%s.log" % (name, here, name), lambda: os.path.ismount(top))


def down(name):
    top = "%s/%s" % (here, name)
    if name.startswith("volsh"):
        ours("umount", top)
    elif name != "local":
        subprocess.run(["umount", top], check=False)
        stop(name)


def stop(name):
    process = started.pop(name, None)
    if process:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def settle(name):
    """Everything that was written is in the bucket when this returns; on the disk, where there is none."""
    if name.startswith("volsh-"):
        ours("cache", "flush", "%s/%s" % (here, name))
    elif name == "rclone":
        while True:
            request = urllib.request.Request("http://127.0.0.1:%d/vfs/stats" % rclone_port, b"{}", {"Content-Type": "application/json"})
            cache = json.load(urllib.request.urlopen(request))["diskCache"]
            if cache["uploadsInProgress"] + cache["uploadsQueued"] == 0:
                return
            time.sleep(0.05)


def drop():
    subprocess.run(["sync"], check=True)
    with open("/proc/sys/vm/drop_caches", "w") as file:
        file.write("3")


def cold(name):
    """A new mount with nothing in its caches, that has worked a little: rows measure a mount, not the start of a process."""
    settle(name)
    if name != "local":
        down(name)
        shutil.rmtree("%s/cache-%s" % (here, name))
        os.mkdir("%s/cache-%s" % (here, name))
        up(name)
    drop()
    some(name, "warmup", 300, 32)
    list(os.scandir("%s/%s" % (here, name)))
    drop()


def chill(name):
    settle(name)
    drop()


def cpu(name):
    """Processor seconds of the programs that ran so far, and of the mount."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    mine = resource.getrusage(resource.RUSAGE_SELF)
    total = children.ru_utime + children.ru_stime + mine.ru_utime + mine.ru_stime
    pid = None
    if name.startswith("volsh"):
        pid = pids.get(name)
    elif name in started:
        pid = started[name].pid
    if pid:
        fields = open("/proc/%d/stat" % pid).read().rsplit(")", 1)[1].split()
        total += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return total


pids = {}


def find_pids():
    pids.clear()
    for row in json.loads(ours("mounts", "list", "-o", "json")):
        pids[os.path.basename(row["mountPoint"])] = row["pid"]


# ---- the work: each returns how much was done

noise = os.urandom(16 << 20)


def path(name, *more):
    return "/".join([here, name, *map(str, more)])


def write_file(target, mib):
    view = memoryview(noise)
    file = os.open(target, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o644)
    for i in range(mib):
        left = view[i % 16 << 20:(i % 16 << 20) + (1 << 20)]
        while left:
            left = left[os.write(file, left):]
    os.fsync(file)
    os.close(file)
    return (mib << 20) / 1e6


def read_file(target, mib):
    buffer = mmap.mmap(-1, 1 << 20)
    file = os.open(target, os.O_RDONLY)
    at = 0
    while count := os.preadv(file, [buffer], at):
        at += count
    os.close(file)
    assert at == mib << 20, "%s has %d bytes" % (target, at)
    return at / 1e6


def write(name):
    return write_file(path(name, "big"), MIB)


def read(name):
    return read_file(path(name, "big"), MIB)


def save(name):
    done = write_file(path(name, "step.tmp"), CHECKPOINT)
    os.rename(path(name, "step.tmp"), path(name, "step"))
    return done


def load(name):
    return read_file(path(name, "step"), CHECKPOINT)


def some(name, file_name="big", count=None, mib=None):
    count, pages = count or READS, ((mib or MIB) << 20) // 4096
    rnd = random.Random(1)
    file = os.open(path(name, file_name), os.O_RDONLY)
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
    for _ in range(count):
        assert len(os.pread(file, 4096, rnd.randrange(pages) * 4096)) == 4096
    os.close(file)
    return count


def small_files(name):
    os.mkdir(path(name, "many"))
    count = few(name, FILES)
    for i in range(count):
        file = os.open(path(name, "many", i), os.O_CREAT | os.O_WRONLY | os.O_EXCL, 0o644)
        os.write(file, noise[i:i + 4096])
        os.close(file)
    return count


def read_small(name):
    count = few(name, FILES)
    for i in range(count):
        file = os.open(path(name, "many", i), os.O_RDONLY)
        assert len(os.read(file, 8192)) == 4096
        os.close(file)
    return count


def grow():
    """Trees of files of 7 KiB on average, a hundred in a directory; a smaller one for those that are slow."""
    for name, count in (("tree", TREE), ("tree-small", TREE // 5)):
        rnd = random.Random(1)
        for i in range(count):
            directory = "%s/%s/d%03d" % (here, name, i // 100)
            os.makedirs(directory, exist_ok=True)
            with open("%s/f%05d" % (directory, i), "wb") as file:
                at = rnd.randrange(1 << 20)
                file.write(noise[at:at + rnd.randrange(1024, 13 << 10)])


def copy_tree(name):
    run("cp", "-r", here + ("/tree-small" if name in SLOW else "/tree"), path(name, "tree"))
    return few(name, TREE)


def on_tree(*words):
    def work(name):
        run(*words, path(name, "tree"))
        return few(name, TREE)
    return work


def in_processes(count, each):
    """Splits the work among so many processes, each in a directory of its own."""
    def work(name):
        share = few(name, EMPTY) // count
        children = []
        for i in range(count):
            child = os.fork()
            if child == 0:
                code = 1
                try:
                    each(path(name, "p%d-%d" % (count, i)), share)
                    code = 0
                finally:
                    os._exit(code)
            children.append(child)
        for child in children:
            assert os.waitpid(child, 0)[1] == 0, "a process failed on %s" % name
        return share * count
    return work


def create(directory, count):
    os.mkdir(directory)
    for i in range(count):
        os.close(os.open("%s/%d" % (directory, i), os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644))


def stat(directory, count):
    for i in range(count):
        os.stat("%s/%d" % (directory, i))


def unlink(directory, count):
    for i in range(count):
        os.unlink("%s/%d" % (directory, i))
    os.rmdir(directory)


def expired(name):
    settle(name)
    time.sleep(1.2)   # what the kernel may answer by itself for a second


def remove(*files):
    def work(name):
        settle(name)
        for file in files:
            os.unlink(path(name, file))
    return work


def nothing(name):
    pass


# title, unit, before, work, whether the time until it is in the bucket is a row of its own
ROWS = [
    ("sequential write + fsync", "MB/s", nothing, write, True),
    ("sequential read, cold", "MB/s", cold, read, False),
    ("sequential read, warm", "MB/s", nothing, read, False),
    ("random reads of 4 KiB, cold", "/s", cold, some, False),
    ("checkpoint: save", "MB/s", remove("big"), save, True),
    ("checkpoint: load, cold", "MB/s", cold, load, False),
    ("files of 4 KiB: create, write, close", "/s", remove("step"), small_files, True),
    ("files of 4 KiB: read, cold", "/s", cold, read_small, False),
    ("cp -r, files of 7 KiB", "/s", nothing, copy_tree, True),
    ("ls -lR, cold", "/s", cold, on_tree("ls", "-lR"), False),
    ("ls -lR, warm", "/s", nothing, on_tree("ls", "-lR"), False),
    ("find, cold", "/s", cold, on_tree("find"), False),
    ("rm -rf", "/s", nothing, on_tree("rm", "-rf"), False),
    ("create, 1 process", "/s", nothing, in_processes(1, create), False),
    ("create, 4 processes", "/s", nothing, in_processes(4, create), False),
    ("stat, 1 process", "/s", expired, in_processes(1, stat), False),
    ("stat, 4 processes", "/s", expired, in_processes(4, stat), False),
    ("unlink, 1 process", "/s", nothing, in_processes(1, unlink), False),
    ("unlink, 4 processes", "/s", nothing, in_processes(4, unlink), False),
]
# Rows that need the files of another one.
NEEDS = {"sequential read": "sequential write", "random": "sequential write", "checkpoint: save": "sequential write", "checkpoint: load": "checkpoint: save",
    "files of 4 KiB: create": "checkpoint: save", "files of 4 KiB: read": "files of 4 KiB: create", "ls": "cp", "find": "cp", "rm": "cp",
    "stat, 1": "create, 1", "unlink, 1": "create, 1", "stat, 4": "create, 4", "unlink, 4": "create, 4"}
UNTIL = ", until in the bucket"
rates, seconds = {}, {}


def note(title, unit, name, rate, used):
    rates.setdefault((title, name), []).append(rate)
    seconds.setdefault((title, name), []).append(used)
    print("%-62s %-12s %10.1f %s, %.2f s of CPU" % (title, name, rate, unit, used), file=sys.stderr, flush=True)


def measure(title, unit, before, work, uploads):
    for name in names:
        before(name)
        find_pids()
        used, begun = cpu(name), time.perf_counter()
        done = work(name)
        wall = time.perf_counter() - begun
        note(title, unit, name, done / wall, cpu(name) - used)
        if uploads and PEERS.get(name, ["rclone"])[0] == "rclone" and name not in ("local", "bindfs"):
            settle(name)
            note(title + UNTIL, unit, name, done / (time.perf_counter() - begun), cpu(name) - used)


def needed(title):
    def matches(row):
        return any(row.startswith(prefix) and title.startswith(first) for prefix, first in NEEDS.items())
    return wanted.search(title) or any(matches(row[0]) and needed(row[0]) for row in ROWS if row[0] != title)


def reset(name):
    settle(name)
    for left in os.listdir(path(name)):
        if left != "warmup":
            whole = path(name, left)
            shutil.rmtree(whole) if os.path.isdir(whole) else os.unlink(whole)


# ---- the tables

def median(values):
    return sorted(values)[len(values) // 2]


def shown(value):
    return "%.2f" % value if value < 10 else "%.0f" % value


def cell(values):
    if not values:
        return ""
    spread = "" if len(values) == 1 else " ±%.0f%%" % (50 * (max(values) - min(values)) / median(values))
    return shown(median(values)) + spread


def tables():
    titles = []
    for row in ROWS:
        for title in (row[0], row[0] + UNTIL):
            if any((title, name) in rates for name in names):
                titles.append((title, row[1]))
    compared = [name for name in PEERS if name in names and any(peer in names for peer in PEERS[name])]
    print("| what | unit | %s | %s |" % (" | ".join(names), " | ".join("%s ÷ best peer" % name for name in compared)))
    print("|---|---|%s" % ("---|" * (len(names) + len(compared))))
    behind = []
    for title, unit in titles:
        ratios = []
        for name in compared:
            peers = [median(rates[title, peer]) for peer in PEERS[name] if (title, peer) in rates]
            mine = rates.get((title, name))
            ratios.append(median(mine) / max(peers) if mine and peers else None)
        if any(ratio is not None and ratio < 1 for ratio in ratios):
            behind.append(title)
        print("| %s | %s | %s | %s |" % (title, unit, " | ".join(cell(rates.get((title, name), [])) for name in names),
            " | ".join("" if ratio is None else "%.2f" % ratio for ratio in ratios)))
    print("\nProcessor seconds of the same rows: the program and the mount, without the S3 server; s3fs makes a fifth of the small files.\n")
    print("| what | %s |\n|---|%s" % (" | ".join(names), "---|" * len(names)))
    for title, _ in titles:
        print("| %s | %s |" % (title, " | ".join("%.2f" % median(seconds[title, name]) if (title, name) in seconds else "" for name in names)))
    if behind:
        print("\nWhere a peer is first:\n")
        for title in behind:
            print("- %s: %s." % (title, WHY.get(title, "not explained yet")))


def loads():
    return " ".join(open("/proc/loadavg").read().split()[:3])


def end(*_):
    sys.exit(130)


signal.signal(signal.SIGTERM, end)
signal.signal(signal.SIGINT, end)
try:
    before, begun = loads(), time.monotonic()
    grow()
    prepare()
    for name in names:
        write_file(path(name, "warmup"), 32)
    done = 0
    while done < rounds and (time.monotonic() - begun) * (done + 1) <= minutes * 60 * max(done, 1):
        done += 1
        for row in ROWS:
            if needed(row[0]):
                measure(*row)
        for name in names:
            reset(name)
    print("%s, %d processors, Linux %s; load %s before and %s after, %d minutes; medians of %d, ± half the spread. %d MiB, %d files of 4 KiB,"
        " trees of %d files (s3fs: a fifth); %s, %s, S3Proxy on loopback with its objects in files.\n" % (datetime.date.today(), os.cpu_count(),
        os.uname().release, before, loads(), (time.monotonic() - begun) / 60, done, MIB, FILES, TREE,
        run("rclone", "version").splitlines()[0], " ".join(run("s3fs", "--version").split()[:6])))
    tables()
finally:
    subprocess.run([volsh, "-q", "umount", "--all", "--flush-timeout", "20s"], check=False, stdout=subprocess.DEVNULL)
    for name in names:
        if os.path.ismount("%s/%s" % (here, name)):
            subprocess.run(["umount", "-l", "%s/%s" % (here, name)], check=False)
    for name in list(started):
        stop(name)
