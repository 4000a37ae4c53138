#!/bin/bash
# Placement in numbers. Prints Markdown: how reads and writes scale over 1, 2 and 4 stores of limited speed; how fast a core
# encodes; what erasure coding 10+4 costs and survives; and what an application notices when a store goes down or hangs under it (chaos in
# stores of the mount's own process; outage.py kills stores that are processes).
#   scripts/bench/place.sh        VOLSH=path/to/bin/volsh (default ./volsh)   DIR=on/the/disk (default /tmp)   SIZE=200 (MB)   PARTS="scale code ec outage"   RATE=50MB/s
set -euo pipefail
CDPATH='' cd -- "$(dirname -- "$0")/../.."
root=$PWD
volsh=${VOLSH:-$PWD/volsh}
size=${SIZE:-200} parts=${PARTS:-scale code ec outage} rate=${RATE:-50MB/s}
work=$(mktemp -d "${DIR:-/tmp}/volsh-place.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
export VOLSH_HOME=$work/home
cd "$work"
v() { "$volsh" -q "$@" >/dev/null; }
noise() { openssl enc -aes-128-ctr -pass pass:volsh -nosalt -in /dev/zero 2>/dev/null | head -c "$1" || true; }
# Seconds that a command takes.
clock() {
    local began
    began=$(date +%s%N)
    "$@" >/dev/null
    echo $((($(date +%s%N) - began) / 1000000))
}
noise $((size * 1000000)) >source
sum=$(sha256sum <source)

if [[ $parts == *scale* ]]; then
    for i in 1 2 3 4; do v store add "t$i" "file://$work/t$i?bandwidth=$rate"; done
    echo "| stripe count | put MB/s | | get MB/s | |"
    echo "|---:|---:|---:|---:|---:|"
    for count in 1 2 4; do
        v volume create "scale$count" --store t1,t2,t3,t4 --stripe-count "$count" --stripe-size 1MiB --compression none
        start=$(clock v ls "scale$count:/")   # what any command takes
        put=$(($(clock v put source "scale$count:/f") - start))
        rm -f out
        get=$(($(clock v get "scale$count:/f" out) - start))
        cmp source out
        if [ "$count" = 1 ]; then put1=$put get1=$get; fi
        awk -v c="$count" -v mb="$size" -v p="$put" -v g="$get" -v p1="$put1" -v g1="$get1" \
            'BEGIN { printf "| %d | %.0f | x%.2f | %.0f | x%.2f |\n", c, mb * 1000 / p, p1 / p, mb * 1000 / g, g1 / g }'
        v volume destroy "scale$count" --confirm "scale$count"
    done
    echo
fi

if [[ $parts == *code* ]]; then   # erasure coding alone, on one core; the class is of the tests
    classes=$root/storage-core/build/classes/java
    if [ -f "$classes/test/volsh/erasure/ErasureThroughput.class" ]; then
        "${JAVA_HOME:+$JAVA_HOME/bin/}java" -cp "$classes/main:$classes/test" volsh.erasure.ErasureThroughput
    else
        echo "erasure coding alone was not measured: ./check compiles the tests first"
    fi
    echo
fi

if [[ $parts == *" ec"* || $parts == ec* ]]; then
    stores=
    for i in $(seq 14); do v store add "e$i" "file://$work/e$i"; stores=$stores${stores:+,}e$i; done
    v volume create coded --store "$stores" --ec 10+4 --compression none
    v put source coded:/f
    stored=$(find "$work"/e* -path '*blocks*' -type f -printf '%s\n' | awk '{ s += $1 } END { print s }')
    echo "EC 10+4 over 14 stores: $(awk -v s="$stored" -v n=$((size * 1000000)) 'BEGIN { printf "%.3f", s / n }') bytes stored for each byte"
    mapfile -t lost < <(seq 14 | shuf --random-source=<(noise 10000) | head -5)
    for i in "${lost[@]:0:4}"; do rm -rf "$work/e$i"; done
    rm -f out; v get coded:/f out
    [ "$(sha256sum <out)" = "$sum" ] && echo "stores ${lost[*]:0:4} deleted: sha256 equal"
    rm -rf "$work/e${lost[4]}" out
    if v get coded:/f out 2>error; then echo "FAILED: read without 5 stores"; exit 1; fi
    echo "store ${lost[4]} deleted too: $(grep -m1 error error)"
    echo
fi

if [[ $parts == *outage* ]]; then
    stores=
    for i in $(seq 6); do v store add "o$i" "file://$work/o$i"; stores=$stores${stores:+,}o$i; done
    for layout in "--mirror 2" "--ec 4+2"; do
        # shellcheck disable=SC2086  # an option and its value
        v volume create outage --store "$stores" $layout --block-size 1MiB --compression none
        mkdir -p mnt
        v mount outage mnt
        for kind in seqwrite randread; do
            (sleep 1; v chaos store o3 --down 3s) &
            "$volsh" -q bench run "$kind" --on mnt --size 2GiB --duration 6s --direct -o json >"$kind.json" && ended=ok || ended=FAILED
            wait
            echo "$layout, $kind, store down for 3 s of 6: $ended, p99 $(grep -o '"p99[^,}]*' "$kind.json" | head -1 | cut -d: -f2)"
        done
        (sleep 1; v chaos store o3 --down 3s) &
        sleep 2.5
        cp source mnt/during && ended=ok || ended=FAILED
        wait
        echo "$layout, cp of $size MB while the store is down: $ended"
        for kind in seqwrite randread; do   # it takes requests and answers none
            (sleep 1; v chaos store o3 --slow 30s --for 3s) &
            "$volsh" -q bench run "$kind" --on mnt --size 2GiB --duration 6s --direct -o json >"$kind.json" && ended=ok || ended=FAILED
            wait
            echo "$layout, $kind, store hangs: $ended, p99 $(grep -o '"p99[^,}]*' "$kind.json" | head -1 | cut -d: -f2)"
        done
        v umount mnt
        "$volsh" -q heal outage -o value:repaired | sed 's/^/healed parts: /'
        v scrub outage --deep && echo "scrub --deep: clean"
        v volume destroy outage --confirm outage
    done
fi
