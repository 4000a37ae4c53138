#!/bin/sh
# Checkpoints: how long a job stands still for `cp` and fsync, for a save it waits for, for one in the background, and for one that is
# handed over; what ten checkpoints take of which 5 % of the tensors changed; and restoring, beside dd. Prints Markdown tables. The best of RUNS.
#   scripts/bench/checkpoint.sh      VOLSH=path/to/bin/volsh (default ./volsh)   DIR=on/the/disk (default /tmp)
#                                    SIZE=2048 (MiB)  RUNS=3
# Restores are cold (as root: caches of the machine are dropped).
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
# row NAME MS REFERENCE
row() {
    awk -v name="$1" -v mib="$size" -v ms="$2" -v other="$3" 'BEGIN {
        ms = ms > 0 ? ms : 1; printf "| %s | %d | %.0f MiB/s | %.2f |\n", name, ms, mib * 1000 / ms, other / ms }'
}

# A safetensors file of 40 tensors, whose header has 8 KiB.
tensors=40
part=$((size * 1048576 / tensors / 4 * 4))
header=8192
mkdir model
model=model/model.safetensors
{
    printf '\370\037\000\000\000\000\000\000'
    awk -v n=$tensors -v part=$part -v room=$((header - 8)) 'BEGIN {
        text = "{"
        for (i = 0; i < n; i++) text = text sprintf("%s\"layer.%d\":{\"dtype\":\"F32\",\"shape\":[%d],\"data_offsets\":[%.0f,%.0f]}", i ? "," : "", i, part / 4, i * part, (i + 1) * part)
        printf "%-" room "s", text "}" }'
    noise volsh $((part * tensors))
} >$model

fresh() { rm -rf home copy given; "$volsh" -q volume create ckpts --compression none >/dev/null; sync; cat $model >/dev/null; }
copy_and_sync() { cp -r model copy; sync -d copy/model.safetensors; sync copy; }
save() { "$volsh" -q checkpoint save ckpts --run r1 --step 1 --from model; }
background() { "$volsh" -q checkpoint save ckpts --run r1 --step 1 --from model --background; }
handover() { "$volsh" -q checkpoint save ckpts --run r1 --step 1 --from given --background --move; }
finish() { for job in $("$volsh" job list -o name 2>/dev/null); do "$volsh" -q job wait "$job" >/dev/null; done; }
# Only what the job waits for is timed; that the checkpoint is right is checked behind it.
stall() {
    for _ in $(seq "$runs"); do
        fresh
        if [ "$1" = handover ]; then cp -r model given; sync -d given/model.safetensors; fi
        clock "$1"
        if [ "$1" != copy_and_sync ]; then
            finish
            [ "$("$volsh" checkpoint verify ckpts -o value:result)" = ok ]
        fi
    done | least
}

copied=$(stall copy_and_sync)
echo "| stall, $size MiB | ms | rate | times as fast as \`cp\` and fsync |"
echo '|---|---|---|---|'
row '`cp` and fsync' "$copied" "$copied"
row '`checkpoint save`' "$(stall save)" "$copied"
row '`checkpoint save --background`: a synced copy on the local disk' "$(stall background)" "$copied"
row '`checkpoint save --background --move`: handed over, as written and synced by the job' "$(stall handover)" "$copied"

# Ten checkpoints; of each but the first two tensors of the forty are new.
fresh
stored() { du -sb --apparent-size home/state | cut -f1; }
empty=$(stored)
for step in 1 2 3 4 5 6 7 8 9 10; do
    if [ "$step" -gt 1 ]; then
        for i in 1 2; do
            noise "$step.$i" "$part" | dd of=$model bs=1M conv=notrunc iflag=fullblock oflag=seek_bytes seek=$((header + (step * 7 + i * 13) % tensors * part)) status=none
        done
    fi
    "$volsh" -q checkpoint save ckpts --run r1 --step "$step" --from model >/dev/null
    if [ "$step" = 1 ]; then one=$(stored); fi
done
awk -v one="$((one - empty))" -v all="$(($(stored) - empty))" 'BEGIN {
    printf "\nOne checkpoint takes %.0f MiB, ten with 5 %% changed tensors each take %.0f MiB (%.2f times one).\n\n", one / 1048576, all / 1048576, all / one }'

restore() { "$volsh" -q checkpoint restore ckpts --run r1 --to resume --force; }
plain=$(for _ in $(seq "$runs"); do rm -rf resume copy; forget; clock dd if=$model of=copy bs=1M status=none; done | least)
ours=$(for _ in $(seq "$runs"); do rm -rf resume copy; forget; clock restore; done | least)
cmp $model resume/model.safetensors
echo "| restore, cold, $size MiB | ms | rate | times as fast as dd |"
echo '|---|---|---|---|'
row '`dd` to a file' "$plain" "$plain"
row '`checkpoint restore`, every byte compared with its SHA-256' "$ours" "$plain"
