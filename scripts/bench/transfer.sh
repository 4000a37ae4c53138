#!/bin/sh
# Moving files, beside dd on the same disk. Prints a Markdown table: the best of the runs, because what else the machine does
# only ever slows a run down, and the ratio to dd. Every run starts from the same state: the results of the one before are gone,
# sources are in the page cache for writes, and nothing is for reads where we may empty it (as root).
#   scripts/bench/transfer.sh            VOLSH=path/to/bin/volsh (default ./volsh)   DIR=on/the/disk (default /tmp)
#                                        SIZE=1024 (MiB)  FILES=10000  RUNS=5  STREAM=4096 (MiB)
# shellcheck disable=SC2016  # backticks are Markdown, and split expands $FILE itself
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
forget() { sync; if [ -w /proc/sys/vm/drop_caches ]; then echo 3 2>/dev/null >/proc/sys/vm/drop_caches || true; fi; }
now() { date +%s%N; }
best() { sort -n | head -n 1; }

# Runs the command so often, preparing before each run; prints the milliseconds of each.
timed() {
    prepare=$1
    shift
    for _ in $(seq "$runs"); do
        "$prepare"
        began=$(now)
        "$@" >/dev/null
        echo $((($(now) - began) / 1000000))
    done
}
row() { # name, MiB, milliseconds, milliseconds of dd
    awk -v name="$1" -v mib="$2" -v ms="$3" -v dd="$4" 'BEGIN { printf "| %s | %d | %.0f MiB/s | %s |\n", name, ms, mib * 1000 / ms, (dd > 0) ? sprintf("%.2f", dd / ms) : "" }'
}

noise $((size * 1048576)) >source
mkdir small
i=0
while [ $i -lt 100 ]; do
    mkdir "small/d$i"
    i=$((i + 1))
done
noise $((files * 4096)) | split -b 4096 -a 6 -d --filter='n=${FILE#x}; cat >small/d$((1${n} % 100))/f$n' -
"$volsh" -q volume create warm >/dev/null

ready_to_write() {
    rm -rf copy home
    forget
    cat source >/dev/null
    for codec in none lz4 zstd:3; do
        "$volsh" -q volume create "c-$(echo "$codec" | tr -d :)" --compression "$codec" >/dev/null
    done
}
ready_to_read() { rm -f copy; forget; }

dd_write=$(timed ready_to_write dd if=source of=copy bs=1M conv=fsync status=none | best)
echo "| $size MiB, $runs runs | best ms | rate | ratio to dd |"
echo '|---|---|---|---|'
row '`dd bs=1M conv=fsync`' "$size" "$dd_write" "$dd_write"
for codec in none lz4 zstd3; do
    row "\`put\`, codec $codec" "$size" "$(timed ready_to_write "$volsh" -q put source "c-$codec:/source" | best)" "$dd_write"
done

ready_to_write
cp source copy
dd_read=$(timed ready_to_read dd if=source of=/dev/null bs=1M status=none | best)
dd_copy=$(timed ready_to_read dd if=source of=copy bs=1M status=none | best)
row '`dd of=/dev/null`' "$size" "$dd_read" "$dd_read"
for codec in none lz4 zstd3; do
    "$volsh" -q put source "c-$codec:/source"
    row "\`get VOL:/source -\`, codec $codec" "$size" "$(timed ready_to_read "$volsh" -q get "c-$codec:/source" - | best)" "$dd_read"
done
row '`dd of=copy`' "$size" "$dd_copy" "$dd_copy"
row '`get VOL:/source copy`, codec none' "$size" "$(timed ready_to_read "$volsh" -q get c-none:/source copy | best)" "$dd_copy"
cmp source copy

small_ready() { ready_to_write; cat small/*/* >/dev/null; }
ms=$(timed small_ready "$volsh" -q put -r small c-none:/ | best)
echo
awk -v n="$files" -v ms="$ms" 'BEGIN { printf "put -r of %d files of 4 KiB: %.0f files/s (%d ms)\n", n, n * 1000 / ms, ms }'
get_ready() { rm -rf copy; forget; }
ms=$(timed get_ready "$volsh" -q get -r c-none:/small copy | best)
awk -v n="$files" -v ms="$ms" 'BEGIN { printf "get -r of them: %.0f files/s (%d ms)\n", n * 1000 / ms, ms }'
diff -r small copy

ready_to_write
for codec in none zstd3; do
    noise $((stream * 1048576)) | /usr/bin/time -f '%M' -o peak "$volsh" -q put - "c-$codec:/stream"
    awk -v mib="$stream" -v codec="$codec" '{ printf "put of %d MiB from standard input, codec %s: peak memory %.0f MiB\n", mib, codec, $1 / 1024 }' peak
done
