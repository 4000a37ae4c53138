#!/bin/sh
# Packing, verifying and unpacking a dataset of small files, beside GNU tar on the same disk. Each run of ours has a run of tar right before
# it; the source is in the page cache for both. "durable" compares with tar followed by sync, as pack ends only when its shards survive power
# loss. Prints a Markdown table: the best times, the ratio of the best times, and the peak memory of ours.
#   scripts/bench/shard.sh               VOLSH=path/to/bin/volsh (default ./volsh)   DIR=on/the/disk (default /tmp)
#                                        FILES=100000  MEAN=10240 (bytes)  RUNS=3
# shellcheck disable=SC2016  # backquotes are for Markdown
set -eu
CDPATH='' cd -- "$(dirname -- "$0")/../.."
volsh=${VOLSH:-$PWD/volsh}
files=${FILES:-100000} mean=${MEAN:-10240} runs=${RUNS:-3}
work=$(mktemp -d "${DIR:-/tmp}/volsh-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
VOLSH_HOME=$work/home
export VOLSH_HOME volsh
cd "$work"
python3 - "$files" "$mean" <<'PYTHON'
import os, random, sys
files, mean, draw = int(sys.argv[1]), int(sys.argv[2]), random.Random(1)
for i in range(files):
    if i % 1000 == 0:
        os.makedirs("images/c%04d" % (i // 1000))
    with open("images/c%04d/im%07d.jpg" % (i // 1000, i), "wb") as out:
        out.write(draw.randbytes(draw.randrange(1, 2 * mean)))
PYTHON
# clock COMMAND...: milliseconds and peak KiB.
clock() { /usr/bin/time -o time -f '%e %M' "$@" >log 2>&1 || { cat log >&2; exit 1; }; awk '{ print $1 * 1000, $2 }' time; }
# row NAME TAR-COMMAND OUR-COMMAND: both run by sh, after what they make is removed.
row() {
    for _ in $(seq "$runs"); do
        rm -rf theirs.tmp ours.tmp && sync
        theirs=$(clock sh -c "$2")
        rm -rf theirs.tmp && sync
        echo "$theirs $(clock sh -c "$3")"
    done | awk -v name="$1" '
        { if (NR == 1 || $1 < tar) tar = $1; if (NR == 1 || $3 < ms) ms = $3; if ($4 > kib) kib = $4 }
        END { printf "| %s | %d ms | %d ms | %.2f | %d MiB |\n", name, tar, ms, tar / ms, kib / 1024 }'
}
find images -type f -exec cat {} + >/dev/null
tar cf all.tar images
"$volsh" -q shard pack images shards --no-classes
echo "$files files, $(du -sm images | cut -f1) MiB"
echo
echo '| | tar | volsh | ratio | memory |'
echo '|---|---|---|---|---|'
row '`pack`, beside `tar cf`' 'tar cf theirs.tmp images' '"$volsh" -q shard pack images ours.tmp --no-classes'
row '`pack`, durable' 'tar cf theirs.tmp images && sync theirs.tmp' '"$volsh" -q shard pack images ours.tmp --no-classes'
row '`unpack`, beside `tar xf`' 'mkdir theirs.tmp && tar xf all.tar -C theirs.tmp' '"$volsh" -q shard unpack shards ours.tmp'
row '`verify`, beside `cat`' 'cat shards/*.tar' '"$volsh" -q shard verify shards'
rm -rf ours.tmp && "$volsh" -q shard unpack shards ours.tmp && diff -r images ours.tmp && echo && echo 'unpacked = packed'
