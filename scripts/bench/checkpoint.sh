#!/bin/sh
# Checkpoints: how long a job stands still for `cp` and fsync, for a save it waits for, and for one in the background; what ten
# checkpoints take of which 5 % changed; and restoring, beside dd. Prints a Markdown table. The best of RUNS.
#   scripts/bench/checkpoint.sh      VOLSH=path/to/bin/volsh (default ./volsh)   DIR=on/the/disk (default /tmp)
#                                    SIZE=2048 (MiB)  RUNS=3
# shellcheck disable=SC2016  # backquotes are for Markdown
set -eu
CDPATH='' cd -- "$(dirname -- "$0")/../.."
volsh=${VOLSH:-$PWD/volsh}
size=${SIZE:-2048} runs=${RUNS:-3}
work=$(mktemp -d "${DIR:-/tmp}/volsh-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
VOLSH_HOME=$work/home
export VOLSH_HOME
cd "$work"

noise() { openssl enc -aes-128-ctr -pass "pass:$1" -nosalt -in /dev/zero 2>/dev/null | head -c "$2"; }
forget() { sync; if [ -w /proc/sys/vm/drop_caches ]; then echo 3 >/proc/sys/vm/drop_caches; fi; }
clock() {
    began=$(date +%s%N)
    "$@" >/dev/null
    echo $((($(date +%s%N) - began) / 1000000))
}
least() { sort -n | head -1; }
row() { printf '| %s | %s | %s |\n' "$1" "$2" "$(awk -v mib="$size" -v ms="$2" 'BEGIN { printf "%.0f MiB/s", mib * 1000 / (ms > 0 ? ms : 1) }')"; }

mkdir model
noise volsh $((size * 1048576)) >model/weights.bin
"$volsh" -q volume create ckpts --compression none >/dev/null
copy_and_sync() { rm -rf copy; cp -r model copy; sync -d copy/weights.bin; sync copy; }
step=0
direct() { "$volsh" -q checkpoint save ckpts --run "direct$step" --step "$step" --from model; }
background() { "$volsh" -q checkpoint save ckpts --run "background$step" --step "$step" --from model --background; }

echo "| $size MiB | ms | rate |"
echo '|---|---|---|'
for what in copy_and_sync direct background; do
    best=$(for step in $(seq "$runs"); do
        rm -rf home copy
        "$volsh" -q volume create ckpts --compression none >/dev/null
        sync
        cat model/weights.bin >/dev/null
        clock "$what"
        for job in $("$volsh" job list -o name 2>/dev/null); do "$volsh" -q job wait "$job" >/dev/null || :; done
    done | least)
    row "stall of \`$what\`" "$best"
done

# Ten checkpoints; of each 5 % of 64 MiB parts are new.
rm -rf home copy
"$volsh" -q volume create ckpts --compression none >/dev/null
parts=$((size / 64 > 20 ? size / 64 : 20))
part=$((size * 1048576 / parts))
for step in 1 2 3 4 5 6 7 8 9 10; do
    if [ "$step" -gt 1 ]; then
        for i in $(seq $(((parts + 19) / 20))); do
            noise "$step.$i" "$part" | dd of=model/weights.bin bs=1M conv=notrunc iflag=fullblock oflag=seek_bytes seek=$(((step * 7 + i) % parts * part)) status=none
        done
    fi
    "$volsh" -q checkpoint save ckpts --run r1 --step "$step" --from model >/dev/null
    if [ "$step" = 1 ]; then one=$(du -sb --apparent-size home/state 2>/dev/null | cut -f1); fi
done
all=$(du -sb --apparent-size home/state | cut -f1)
awk -v one="$one" -v all="$all" 'BEGIN { printf "\nOne checkpoint takes %.0f MiB, ten with 5 %% changed each take %.0f MiB (%.2f times one).\n\n", one / 1048576, all / 1048576, all / one }'

restore() { "$volsh" -q checkpoint restore ckpts --run r1 --to resume --force; }
echo "| restore, cold, $size MiB | ms | rate |"
echo '|---|---|---|'
row '`dd` to a file' "$(for _ in $(seq "$runs"); do rm -rf resume copy; forget; clock dd if=model/weights.bin of=copy bs=1M status=none; done | least)"
row '`checkpoint restore`, verified' "$(for _ in $(seq "$runs"); do rm -rf resume copy; forget; clock restore; done | least)"
