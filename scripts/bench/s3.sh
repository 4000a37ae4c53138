#!/bin/bash
# A volume in a bucket, mounted plainly and with --writeback, and a bucket mounted without a volume, beside rclone mount (vfs cache full) and s3fs (use_cache): one S3
# server, one run, each row measured for all of them in turn, with nobody's uploads left over from the one before. Prints each rate as it
# is measured and ours to the best of theirs, at the end a Markdown table of medians; needs root, /dev/fuse, python3 and a JDK 25 for the
# server. rclone, s3fs and fuse3 are installed from Debian if they are missing. The full size takes about ten minutes of a quiet machine.
#   scripts/bench/s3.sh [DIRECTORY]      the full size. Works below DIRECTORY (default /var/tmp)    VOLSH=path/to/bin/volsh (default ./volsh)
#                                        SIZE=1024 (MiB) FILES=5000 RANDOM_READS=500 ROUNDS=1    a quick run: SIZE=128 FILES=500
#                                        SLOW_FILES=FILES/10 (for s3fs, which makes a few a second)  ONLY='volsh rclone' (some of them)
#                                        PARTS='large many some tree' (a large file; many files of 4 KiB; fewer of 4 and 100 KiB by 1
#                                        and 8 threads; cp -r and rm -r of TREE=6400 files)
#                                        S3PROXY=s3proxy-jar-with-dependencies.jar (default: the one that the tests use)
set -euo pipefail
project=$(cd "$(dirname "$0")/../.." && pwd)
volsh=${VOLSH:-$project/volsh}
size=${SIZE:-1024} tree=${TREE:-6400} files=${FILES:-5000} reads=${RANDOM_READS:-500} rounds=${ROUNDS:-1}
slow_files=${SLOW_FILES:-$((files / 10))}
read -ra targets <<< "${ONLY:-volsh writeback bucket rclone s3fs}"

parts=" ${PARTS:-large many some tree} "
fail() { echo "s3.sh: $*" >&2; exit 1; }
if [ "$(id -u)" != 0 ] || [ ! -w /dev/fuse ]; then fail 'needs root and /dev/fuse'; fi
missing=()
for tool in rclone s3fs fusermount3; do
    command -v $tool > /dev/null || missing+=("${tool/fusermount3/fuse3}")
done
if [ ${#missing[@]} -gt 0 ]; then
    echo "s3.sh: installing ${missing[*]} from Debian" >&2
    DEBIAN_FRONTEND=noninteractive apt-get install -qq -y "${missing[@]}" > /dev/null
fi
cd "$project"
# shellcheck source=gradle/build.sh
. gradle/build.sh
find_jdk
jar=${S3PROXY:-$(find "$HOME/.m2" "${GRADLE_USER_HOME:-$HOME/.gradle}" -name 's3proxy-*-jar-with-dependencies.jar' 2> /dev/null | head -n 1)}
[ -n "$jar" ] || fail 'no S3Proxy here: ./check fetches it from Maven Central, or say S3PROXY=its jar with dependencies'

here=$(mktemp -d "${1:-/var/tmp}/volsh-bench.XXXXXX")
declare -A pid=()
export VOLSH_HOME=$here/home AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local

end() { # NAME: the process that was started under this name is gone when this returns
    if [ -n "${pid[$1]:-}" ]; then
        kill -CONT "${pid[$1]}" 2> /dev/null || true
        kill "${pid[$1]}" 2> /dev/null || true
        wait "${pid[$1]}" 2> /dev/null || true
        unset "pid[$1]"
    fi
}
cleanup() {
    trap - EXIT INT TERM
    [ -z "${pid[server]:-}" ] || kill -CONT "${pid[server]}" 2> /dev/null || true
    "$volsh" -q umount --all --lazy --flush-timeout 5s > /dev/null 2>&1 || true
    for target in volsh writeback bucket rclone s3fs; do
        umount -l "$here/$target" 2> /dev/null || true
    done
    for name in rclone s3fs server; do
        end $name
    done
    rm -rf "$here"
}
trap cleanup EXIT
trap 'echo "s3.sh: failed at line $LINENO" >&2' ERR
trap 'exit 130' INT TERM

cat > "$here/bench.py" <<'END_OF_PYTHON'
"""One measurement: prints a rate, in MB/s or in things a second."""
import json, mmap, os, random, socket, subprocess, sys, threading, time, urllib.request


def write(path, mib):
    noise = memoryview(os.urandom(16 << 20))
    start = time.perf_counter()
    file = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o644)
    for i in range(int(mib)):
        at = i % 16 << 20
        left = noise[at:at + (1 << 20)]
        while left:
            left = left[os.write(file, left):]
    os.fsync(file)
    os.close(file)
    return (int(mib) << 20) / 1e6 / (time.perf_counter() - start)


def read(path, mib):
    buffer = mmap.mmap(-1, 1 << 20)
    start = time.perf_counter()
    file = os.open(path, os.O_RDONLY)
    at = 0
    while True:
        count = os.preadv(file, [buffer], at)
        if count == 0:
            break
        at += count
    os.close(file)
    assert at == int(mib) << 20, "%d bytes of %s MiB" % (at, mib)
    return at / 1e6 / (time.perf_counter() - start)


def some(path, mib, count):
    rnd = random.Random()
    file = os.open(path, os.O_RDONLY)
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
    pages = (int(mib) << 20) // 4096
    start = time.perf_counter()
    for _ in range(int(count)):
        assert len(os.pread(file, 4096, rnd.randrange(pages) * 4096)) == 4096
    seconds = time.perf_counter() - start
    os.close(file)
    return int(count) / seconds


def in_threads(count, threads, each):
    failures = []

    def work(first):
        try:
            for i in range(first, count, threads):
                each(i)
        except OSError as failure:
            failures.append(failure)

    start = time.perf_counter()
    workers = [threading.Thread(target=work, args=(i,)) for i in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    if failures:
        raise failures[0]
    return count / (time.perf_counter() - start)


def create(directory, count, length, threads):
    noise = os.urandom(int(length))
    os.makedirs(directory)

    def one(i):
        file = os.open("%s/f%05d" % (directory, i), os.O_CREAT | os.O_WRONLY | os.O_EXCL, 0o644)
        os.write(file, noise)
        os.close(file)
    return in_threads(int(count), int(threads), one)


def fetch(directory, count, length, threads):
    def one(i):
        file = os.open("%s/f%05d" % (directory, i), os.O_RDONLY)
        left = int(length)
        while left:
            found = len(os.read(file, left))
            assert found, "cut short"
            left -= found
        os.close(file)
    return in_threads(int(count), int(threads), one)


def names(directory, count):
    start = time.perf_counter()
    with os.scandir(directory) as entries:
        found = [entry.stat().st_size for entry in entries]
    assert len(found) == int(count), "%d of %s names" % (len(found), count)
    return len(found) / (time.perf_counter() - start)


def remove(directory, count):
    start = time.perf_counter()
    for name in os.listdir(directory):
        os.unlink(directory + "/" + name)
    seconds = time.perf_counter() - start
    os.rmdir(directory)
    return int(count) / seconds


def uploaded(port):
    """Waits until rclone has nothing to upload."""
    while True:
        request = urllib.request.Request("http://127.0.0.1:%s/vfs/stats" % port, b"{}", {"Content-Type": "application/json"})
        cache = json.load(urllib.request.urlopen(request))["diskCache"]
        if cache["uploadsInProgress"] + cache["uploadsQueued"] == 0:
            return 0
        time.sleep(0.1)


def bucket(url):
    urllib.request.urlopen(urllib.request.Request(url, method="PUT"))
    return 0


def port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def grow(directory, count):
    """Files of 0.5 to 60 KiB, 30 on average, in directories of two levels."""
    rnd = random.Random(1)
    for i in range(int(count)):
        below = "%s/%02d/%02d" % (directory, i % 32, i // 32 % 32)
        os.makedirs(below, exist_ok=True)
        with open("%s/f%05d" % (below, i), "wb") as file:
            file.write(rnd.randbytes(rnd.randrange(512, 60 << 10)))
    return 0


def run(count, *command):
    start = time.perf_counter()
    subprocess.run(command, check=True)
    return int(count) / (time.perf_counter() - start)


print(globals()[sys.argv[1]](*sys.argv[2:]))
END_OF_PYTHON
bench() { python3 "$here/bench.py" "$@"; }

mkdir -p "$here"/{volsh,writeback,bucket,rclone,s3fs,objects,tmp}
port=$(bench port) rclone_port=$(bench port)
printf '%s\n' "s3proxy.endpoint=http://127.0.0.1:$port" s3proxy.authorization=none jclouds.provider=filesystem-nio2 \
    "jclouds.filesystem.basedir=$here/objects" jclouds.identity=local jclouds.credential=local > "$here/s3proxy.conf"
"$VOLSH_JDK/bin/java" -Xmx1g "-Djava.io.tmpdir=$here/tmp" -cp "$jar" org.gaul.s3proxy.Main --properties "$here/s3proxy.conf" \
    > "$here/server.log" 2>&1 &
pid[server]=$!
for _ in $(seq 300); do
    if (: < "/dev/tcp/127.0.0.1/$port") 2> /dev/null; then break; fi
    kill -0 "${pid[server]}" 2> /dev/null || fail "the S3 server did not start: $(cat "$here/server.log")"
    sleep 0.2
done
for target in "${targets[@]}"; do
    bench bucket "http://127.0.0.1:$port/bench-$target" > /dev/null
done
"$volsh" -q store add plain s3://bench-volsh --endpoint "http://127.0.0.1:$port" --region us-east-1 > /dev/null
"$volsh" -q store add staged s3://bench-writeback --endpoint "http://127.0.0.1:$port" --region us-east-1 > /dev/null
case " ${targets[*]} " in *' volsh '*) "$volsh" -q volume create volsh --store plain > /dev/null ;; esac
case " ${targets[*]} " in *' writeback '*) "$volsh" -q volume create writeback --store staged > /dev/null ;; esac
echo local:local > "$here/passwd"
chmod 600 "$here/passwd"

await_mount() { # TARGET
    for _ in $(seq 200); do
        if mountpoint -q "$here/$1"; then return; fi
        kill -0 "${pid[$1]}" 2> /dev/null || break
        sleep 0.1
    done
    fail "$1 did not mount: $(tail -n 5 "$here/$1.log")"
}
up() { # TARGET
    case $1 in
        volsh) "$volsh" -q mount volsh "$here/volsh" --cache-dir "$here/cache-volsh" > /dev/null ;;
        writeback) "$volsh" -q mount writeback "$here/writeback" --writeback --cache-dir "$here/cache-writeback" --journal-dir "$here/journal" > /dev/null ;;
        bucket) "$volsh" -q mount s3://bench-bucket "$here/bucket" --endpoint "http://127.0.0.1:$port" --region us-east-1 \
            --cache-dir "$here/cache-bucket" > /dev/null ;;
        rclone)
            env -u AWS_CA_BUNDLE rclone mount :s3:bench-rclone "$here/rclone" --config /dev/null --vfs-cache-mode full --cache-dir "$here/cache-rclone" \
                --s3-provider Other --s3-endpoint "http://127.0.0.1:$port" --s3-access-key-id local --s3-secret-access-key local \
                --s3-region us-east-1 --rc --rc-addr "127.0.0.1:$rclone_port" --rc-no-auth > "$here/rclone.log" 2>&1 &
            pid[rclone]=$!
            await_mount rclone ;;
        s3fs)
            s3fs bench-s3fs "$here/s3fs" -f -o "url=http://127.0.0.1:$port" -o use_path_request_style -o "passwd_file=$here/passwd" \
                -o "use_cache=$here/cache-s3fs" -o "tmpdir=$here/tmp" > "$here/s3fs.log" 2>&1 &
            pid[s3fs]=$!
            await_mount s3fs ;;
    esac
}
settle() { # TARGET: everything written is in the bucket when this returns
    case $1 in
        volsh | writeback) "$volsh" -q cache flush "$here/$1" > /dev/null ;;
        rclone) bench uploaded "$rclone_port" > /dev/null ;;
        bucket | s3fs) ;;   # a close waits for the bucket
    esac
}
down() { # TARGET
    case $1 in
        volsh | writeback | bucket) "$volsh" -q umount "$here/$1" > /dev/null ;;
        *) umount "$here/$1"; end "$1" ;;   # rclone does not always end by itself
    esac
}
forget() { sync; echo 3 > /proc/sys/vm/drop_caches; }
# A new mount with nothing in its caches, that has read a little of another file: rows measure the bucket, not the start of a process.
cold() {
    settle "$1"
    down "$1"
    rm -rf "$here/cache-$1"
    mkdir -p "$here/cache-$1"
    forget
    up "$1"
    bench some "$here/$1/warm" 32 150 > /dev/null
    forget
}

rows=()
row() { # TITLE UNIT PREPARE ARGUMENTS-OF-BENCH: measures every target; PREPARE is called with it. @ stands for its directory, # for its files
    local title=$1 unit=$2 prepare=$3
    shift 3
    [ "$round" != 1 ] || rows+=("$title|$unit")
    local stored
    stored=$(stored_title "$1" "$title")
    for target in "${targets[@]}"; do
        local count=$files began value
        [ "$target" != s3fs ] || count=$slow_files
        "$prepare" "$target"
        local arguments=("${@//@/$here/$target}")
        began=$(date +%s%N)
        value=$(bench "${arguments[@]//#/$count}")
        note "$title" "$target" "$value" "$unit"
        if [ -n "$stored" ]; then
            settle "$target"
            [ "$1" != write ] || count=$(awk -v mib="$size" 'BEGIN { print mib * 1.048576 }')
            note "$stored" "$target" "$(awk -v count="$count" -v ns=$(($(date +%s%N) - began)) 'BEGIN { print count / (ns / 1e9) }')" "$unit"
        fi
    done
    ratio "$title"
    if [ -n "$stored" ]; then
        ratio "$stored"
        [ "$round" != 1 ] || rows+=("$stored|$unit")
    fi
}
stored_title() { # MEASUREMENT TITLE: what the time until everything is in the bucket is called; empty where nothing is written
    case $1 in
        write) echo 'until that is in the bucket' ;;
        create) echo "${2%: *}, until they are in the bucket" ;;
    esac
}
note() { # TITLE TARGET VALUE UNIT
    echo "$1|$2|$3" >> "$here/results"
    printf '%-60s %-10s %10.1f %s\n' "$1" "$2" "$3" "$4" >&2
}
ratio() { # TITLE: ours to the better one of the others, as measured last
    awk -F '|' -v title="$1" '
        $1 == title { last[$2] = $3 }
        END {
            best = last["rclone"] > last["s3fs"] ? last["rclone"] : last["s3fs"]
            if (best > 0) printf "%-60s %-10s volsh %.2f, volsh --writeback %.2f, bucket %.2f of the best\n", title, "",
                last["volsh"] / best, last["writeback"] / best, last["bucket"] / best
        }' "$here/results" >&2
}
as_it_is() { :; }
chill() { settle "$1"; forget; }
read_it() { bench read "$here/$1/big" "$size" > /dev/null; }   # whoever chilled after it has emptied the page cache for all

waits() { # TARGET: does fsync return while the S3 server does not answer?
    bench write "$here/$1/warm" 32 > /dev/null
    settle "$1"
    kill -STOP "${pid[server]}"
    bench write "$here/$1/probe" 1 > /dev/null &
    local probe=$!
    sleep 3
    if kill -0 "$probe" 2> /dev/null; then echo yes; else echo no; fi > "$here/waits-$1"
    kill -CONT "${pid[server]}"
    wait "$probe" || true
    settle "$1"
}

for target in "${targets[@]}"; do
    mkdir "$here/cache-$target"
    up "$target"
    waits "$target"
done
before=$(cut -d ' ' -f 1-3 /proc/loadavg)
for round in $(seq "$rounds"); do
    if [[ $parts == *" large "* ]]; then
        row 'sequential write + fsync' MB/s as_it_is write @/big "$size"
        row 'sequential read, nothing cached' MB/s cold read @/big "$size"
        row 'again, from the cache directory' MB/s chill read @/big "$size"
        row 'again, from the page cache' MB/s read_it read @/big "$size"
        row 'random reads of 4 KiB, nothing cached' ops/s cold some @/big "$size" "$reads"
        row 'again (others), a part cached by now' ops/s chill some @/big "$size" "$reads"
        for target in "${targets[@]}"; do bench read "$here/$target/big" "$size" > /dev/null; done
        row 'random reads of 4 KiB, all in the cache directory' ops/s chill some @/big "$size" "$reads"
        for target in "${targets[@]}"; do rm "$here/$target/big"; done
    fi
    if [[ $parts == *" many "* ]]; then
        row "$files files of 4 KiB, threads: 1: create, write, close" files/s as_it_is create @/many '#' 4096 1
        row 'read them, nothing cached' files/s cold fetch @/many '#' 4096 1
        row 'list them with attributes, nothing cached' files/s cold names @/many '#'
        row 'delete them' files/s as_it_is remove @/many '#'
    fi
    if [[ $parts == *" tree "* ]]; then
        [ "$round" != 1 ] || bench grow "$here/tree" "$tree" > /dev/null
        row "cp -r of $tree files of 30 KiB" files/s as_it_is run "$tree" cp -r "$here/tree" @/tree
        row 'find them, nothing cached' files/s cold run "$tree" find @/tree -name none
        row 'rm -r' files/s as_it_is run "$tree" rm -r @/tree
    fi
    [[ $parts == *" some "* ]] || continue
    all=$files all_slow=$slow_files files=$((files / 5)) slow_files=$((slow_files / 5))
    for kind in '4096 8' '102400 1' '102400 8'; do
        length=${kind% *} threads=${kind#* }
        what="files of $((length / 1024)) KiB, threads: $threads"
        row "$files $what: create, write, close" files/s as_it_is create "@/some" '#' "$length" "$threads"
        row "$what: read, nothing cached" files/s cold fetch "@/some" '#' "$length" "$threads"
        for target in "${targets[@]}"; do
            settle "$target"
            rm -r "$here/$target/some"
        done
    done
    files=$all slow_files=$all_slow
done

echo "$(nproc) cores, load $before before and $(cut -d ' ' -f 1-3 /proc/loadavg) after; S3Proxy on loopback with its objects in files;" \
    "$(rclone version | head -n 1), s3fs $(s3fs --version | sed -n 's/.*V\([0-9.]*\).*/\1/p'); $size MiB, $files files" \
    "(s3fs: $slow_files), medians of $rounds"
echo
awk -F '|' -v targets="${targets[*]}" '
    function median(key,   i, j, t, n, v) {
        n = split(values[key], v, " ")
        for (i = 1; i <= n; i++) for (j = i + 1; j <= n; j++) if (v[j] + 0 < v[i] + 0) { t = v[i]; v[i] = v[j]; v[j] = t }
        return v[int((n + 1) / 2)]
    }
    FILENAME == ARGV[1] { values[$1 "|" $2] = values[$1 "|" $2] " " $3; next }
    FNR == 1 {
        count = split(targets, name, " ")
        printf "| what |"
        for (i = 1; i <= count; i++) printf " %s |", name[i] == "writeback" ? "volsh --writeback" : name[i]
        print " unit | volsh | --writeback | bucket |"
        printf "|---|"
        for (i = 1; i <= count + 4; i++) printf "---|"
        print ""
    }
    {
        printf "| %s |", $1
        best = 0
        for (i = 1; i <= count; i++) {
            value = median($1 "|" name[i])
            printf value < 10 ? " %.1f |" : " %.0f |", value
            if ((name[i] == "rclone" || name[i] == "s3fs") && value > best) best = value
        }
        printf " %s |", $2
        for (i = 1; i <= 3; i++) {
            value = median($1 "|" (i == 1 ? "volsh" : i == 2 ? "writeback" : "bucket"))
            if (best > 0 && value > 0) printf " %.2f |", value / best
            else printf " |"
        }
        print ""
    }' "$here/results" <(printf '%s\n' "${rows[@]}")
printf '| fsync waits for the bucket |'
for target in "${targets[@]}"; do printf ' %s |' "$(cat "$here/waits-$target")"; done
printf ' | | | |\n\nThe last three columns are to the better one of rclone and s3fs. Where a close or an fsync does not wait for the bucket:\n'
echo 'bucket is a bucket that volsh mounts without a volume, as rclone and s3fs do. volsh --writeback has the bytes in a journal that is synced to the local disk; rclone has them in files of its cache.'
