#!/bin/sh
# Large objects of a bucket to and from local files, beside two ceilings: that of the server (`bench store`, which gets
# objects into memory and writes no file) and that of the disk (dd, from memory to the same disk). S3Proxy on loopback, with
# its objects in files; everything in turns, so that what else the machine does meets all. Prints a Markdown table: the best
# rates, and the median of the ratios of each run.
#   scripts/bench/bucket.sh      VOLSH=path/to/bin/volsh (default ./volsh)   DIR=on/the/disk (default /var/tmp)
#                                SIZE=4096 (MiB)  PART=64 (MiB)  PARALLEL=32  RUNS=3
#                                S3PROXY=s3proxy-jar-with-dependencies.jar (default: the one that the tests use)
set -eu
CDPATH='' cd -- "$(dirname -- "$0")/../.."
project=$PWD
volsh=${VOLSH:-$project/volsh}
size=${SIZE:-4096} part=${PART:-64} parallel=${PARALLEL:-32} runs=${RUNS:-3}
# shellcheck source=gradle/build.sh
. gradle/build.sh
find_jdk
jar=${S3PROXY:-$(find "$HOME/.m2" "${GRADLE_USER_HOME:-$HOME/.gradle}" -name 's3proxy-*-jar-with-dependencies.jar' 2>/dev/null | head -n 1)}
[ -n "$jar" ] || { echo 'bucket.sh: no S3Proxy here: ./check fetches it from Maven Central, or say S3PROXY=its jar' >&2; exit 1; }

work=$(mktemp -d "${DIR:-/var/tmp}/volsh-bench.XXXXXX")
server=
cleanup() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT TERM
export VOLSH_HOME="$work/home" AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local
mkdir -p "$work/objects/train" "$work/tmp"
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
cat >"$work/s3proxy.conf" <<END
s3proxy.endpoint=http://127.0.0.1:$port
s3proxy.authorization=none
jclouds.provider=filesystem-nio2
jclouds.identity=local
jclouds.credential=local
jclouds.filesystem.basedir=$work/objects
END
"$VOLSH_JDK/bin/java" -Xmx1g -Djava.io.tmpdir="$work/tmp" -jar "$jar" --properties "$work/s3proxy.conf" >"$work/server.log" 2>&1 &
server=$!
"$volsh" -q store add train s3://train --endpoint "http://127.0.0.1:$port" --anonymous >/dev/null
until "$volsh" -q ls train:// >/dev/null 2>&1; do
    kill -0 "$server" || { cat "$work/server.log" >&2; exit 1; }
    sleep 0.2
done

# Prints the milliseconds that a command takes.
clock() {
    began=$(date +%s%N)
    "$@" >/dev/null
    echo $((($(date +%s%N) - began) / 1000000))
}
# The rates in MiB/s of putting and getting whole objects, with as many threads as there is memory for.
ceiling() {
    threads=$((parallel < 8 ? parallel : 8))
    rounded=$((size / part / threads * threads * part))
    "$volsh" -q bench store train --size "${rounded}MiB" --io "${part}MiB" --part 1MiB --threads "$threads" -o tsv \
        --no-headers --columns phase,rate | awk '$1 == "put" || $1 == "get" { printf "%.0f ", $2 / 1048576 }'
}
openssl enc -aes-128-ctr -pass pass:volsh -nosalt -in /dev/zero 2>/dev/null | head -c "$((size * 1048576))" >"$work/source"
cat "$work/source" >/dev/null

for _ in $(seq "$runs"); do
    best=$(ceiling)
    put=$(clock "$volsh" -q put "$work/source" train://big --part "${part}MiB" --parallel "$parallel")
    rm -f "$work/copy"
    dd=$(clock dd if=/dev/zero of="$work/copy" bs=1M count="$size" status=none)
    rm -f "$work/copy"
    get=$(clock "$volsh" -q get train://big "$work/copy" --part "${part}MiB" --parallel "$parallel")
    cmp "$work/source" "$work/copy"
    echo "$best $put $get $dd"
done | awk -v mib="$size" -v part="$part" -v parallel="$parallel" '
    function median(values, count,   i, j, t) {
        for (i = 1; i <= count; i++) for (j = i + 1; j <= count; j++) if (values[j] < values[i]) { t = values[i]; values[i] = values[j]; values[j] = t }
        return values[int((count + 1) / 2)]
    }
    {
        put = mib * 1000 / $3; get = mib * 1000 / $4; disk = mib * 1000 / $5
        puts[NR] = put / $1; gets[NR] = get / $2; disks[NR] = get / disk
        if (disk > theirs_disk) theirs_disk = disk
        if ($1 > theirs_put) theirs_put = $1
        if ($2 > theirs_get) theirs_get = $2
        if (put > ours_put) ours_put = put
        if (get > ours_get) ours_get = get
    }
    END {
        printf "| one object of %d MiB, --part %dMiB --parallel %d, %d runs | volsh | ceiling | median of the ratios |\n|---|---|---|---|\n", mib, part, parallel, NR
        printf "| `put` | %.0f MiB/s | %.0f MiB/s | %.2f |\n", ours_put, theirs_put, median(puts, NR)
        printf "| `get` | %.0f MiB/s | %.0f MiB/s | %.2f |\n", ours_get, theirs_get, median(gets, NR)
        printf "| `get`, beside dd to the disk | %.0f MiB/s | %.0f MiB/s | %.2f |\n", ours_get, theirs_disk, median(disks, NR)
    }'
