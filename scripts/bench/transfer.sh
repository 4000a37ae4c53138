#!/bin/sh
# Moving files, beside dd on the same disk. Each run of ours has a run of dd right before it, from the same state: results of
# earlier runs are gone, sources are in the page cache for writes, and none of the data is for reads where we may empty it (as root).
# Prints a Markdown table: the best time, and the median of the ratios of the pairs, because what else the machine does meets
# both of a pair.
#   scripts/bench/transfer.sh            VOLSH=path/to/bin/volsh (default ./volsh)   DIR=on/the/disk (default /tmp)
#                                        SIZE=1024 (MiB)  FILES=10000  RUNS=5  STREAM=4096 (MiB)
# shellcheck disable=SC2016  # backquotes are for Markdown, dollars for the filter
set -eu
CDPATH='' cd -- "$(dirname -- "$0")/../.."
volsh=${VOLSH:-$PWD/volsh}
size=${SIZE:-1024} files=${FILES:-10000} runs=${RUNS:-5} stream=${STREAM:-4096}
work=$(mktemp -d "${DIR:-/tmp}/volsh-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
VOLSH_HOME=$work/home
export VOLSH_HOME
cd "$work"

# Bytes that no codec can shrink, made as fast as a disk writes.
noise() { openssl enc -aes-128-ctr -pass pass:volsh -nosalt -in /dev/zero 2>/dev/null | head -c "$1"; }
forget() { sync; if [ -w /proc/sys/vm/drop_caches ]; then echo 3 >/proc/sys/vm/drop_caches; fi; }
# Prints the milliseconds that a command takes.
clock() {
    began=$(date +%s%N)
    "$@" >/dev/null
    echo $((($(date +%s%N) - began) / 1000000))
}
# pairs NAME PREPARE DD-ARGUMENTS -- COMMAND...: a row of the table.
pairs() {
    name=$1 prepare=$2 dd=$3
    shift 4
    for _ in $(seq "$runs"); do
        "$prepare"
        # shellcheck disable=SC2086  # a list of arguments
        theirs=$(clock dd bs=1M status=none $dd)
        "$prepare"
        echo "$theirs $(clock "$@")"
    done | awk -v name="$name" -v mib="$size" '
        { ratio[NR] = $1 / $2; if (NR == 1 || $1 < dd) dd = $1; if (NR == 1 || $2 < ms) ms = $2 }
        END {
            for (i = 1; i <= NR; i++) for (j = i + 1; j <= NR; j++) if (ratio[j] < ratio[i]) { t = ratio[i]; ratio[i] = ratio[j]; ratio[j] = t }
            printf "| `%s` | %d | %.0f MiB/s | %d | %.2f |\n", name, ms, mib * 1000 / ms, dd, ratio[int((NR + 1) / 2)]
        }'
}

noise $((size * 1048576)) >source
mkdir small
for i in $(seq 0 99); do mkdir "small/d$i"; done
noise $((files * 4096)) | split -b 4096 -a 6 -d --filter='n=${FILE#x}; cat >small/d$((1${n} % 100))/f$n' -

# Volumes without files, sources in the cache. Volumes of earlier runs stay till the end (1 + 3 RUNS times SIZE in all): where many files were deleted
# in the last minutes, ext4 takes long to find a number for a new one, which no user of a new volume meets.
fresh() {
    rm -rf copy
    VOLSH_HOME=$(mktemp -d "$work/home.XXXXXX")
    for codec in none lz4 zstd:3; do
        "$volsh" -q volume create "codec-$(echo "$codec" | tr -d :)" --compression "$codec" >/dev/null
    done
    forget
    warm
    cat source small/*/* >/dev/null
}
cold() { rm -rf copy; forget; warm; }
# The program itself is read again, the data is not: 90 ms that only the first command of a day has.
warm() { "$volsh" -q ls codec-none:/ >/dev/null; }

echo "| $size MiB, $runs runs | best ms | rate | best of dd | ratio to dd |"
echo '|---|---|---|---|---|'
for codec in none lz4 zstd3; do
    pairs "put source codec-$codec:/" fresh 'if=source of=copy conv=fsync' -- "$volsh" -q put source "codec-$codec:/"
done
fresh
for codec in none lz4 zstd3; do
    "$volsh" -q put source "codec-$codec:/"
    pairs "get codec-$codec:/source -" cold 'if=source of=/dev/null' -- "$volsh" -q get "codec-$codec:/source" -
done
pairs 'get codec-none:/source copy' cold 'if=source of=copy' -- "$volsh" -q get codec-none:/source copy
cmp source copy

best() { # PREPARE COMMAND...: the shortest of the runs
    prepare=$1
    shift
    for _ in $(seq "$runs"); do
        "$prepare"
        clock "$@"
    done | sort -n | head -n 1
}
echo
ms=$(best fresh "$volsh" -q put -r small codec-none:/)
awk -v n="$files" -v ms="$ms" 'BEGIN { printf "`put -r` of %d files of 4 KiB: %.0f files/s (%d ms)\n", n, n * 1000 / ms, ms }'
fresh   # what the runs above have put is in homes of their own
"$volsh" -q put -r small codec-none:/
ms=$(best cold "$volsh" -q get -r codec-none:/small copy)
awk -v n="$files" -v ms="$ms" 'BEGIN { printf "`get -r` of them: %.0f files/s (%d ms)\n", n * 1000 / ms, ms }'
diff -r small copy

fresh
for codec in none zstd3; do
    noise $((stream * 1048576)) | /usr/bin/time -f '%M' -o peak "$volsh" -q put - "codec-$codec:/stream"
    awk -v mib="$stream" -v codec="$codec" '{ printf "`put -` of %d MiB, codec %s: peak memory %.0f MiB\n", mib, codec, $1 / 1024 }' peak
done
