#!/bin/bash
# 'volsh gateway s3' beside S3Proxy serving a plain directory of the same disk: both check signatures; the client is 'bench store'. Each
# size is measured for both in turns; prints rates and ours to theirs, then the memory of both servers. Not the same promise: the gateway
# syncs what it acknowledges, S3Proxy leaves it to the kernel.
#   scripts/bench/gateway.sh [DIRECTORY]     works below DIRECTORY (default /var/tmp)     VOLSH=path/to/bin/volsh (default ./volsh)
#                                            ROUNDS=3 (medians)  S3PROXY=s3proxy-jar-with-dependencies.jar (default: the one of the tests)
set -euo pipefail
project=$(cd "$(dirname "$0")/../.." && pwd)
volsh=${VOLSH:-$project/volsh}
rounds=${ROUNDS:-3}
fail() { echo "gateway.sh: $*" >&2; exit 1; }
cd "$project"
# shellcheck source=gradle/build.sh
. gradle/build.sh
find_jdk
jar=${S3PROXY:-$(find "$HOME/.m2" "${GRADLE_USER_HOME:-$HOME/.gradle}" -name 's3proxy-*-jar-with-dependencies.jar' 2> /dev/null | head -n 1)}
[ -n "$jar" ] || fail 'no S3Proxy here: ./check fetches it from Maven Central, or say S3PROXY=its jar with dependencies'
here=$(mktemp -d "${1:-/var/tmp}/volsh-gateway.XXXXXX")
pids=()
cleanup() {
    trap - EXIT
    for pid in "${pids[@]}"; do kill "$pid" 2> /dev/null || true; wait "$pid" 2> /dev/null || true; done
    rm -rf "$here"
}
trap cleanup EXIT
trap 'exit 130' INT TERM
export VOLSH_HOME=$here/home
mkdir -p "$here"/{objects/data,tmp}
"$volsh" -q store add disk "file://$here/store" > /dev/null
"$volsh" -q volume create data --store disk > /dev/null
key=$("$volsh" -q gateway key create -o csv --columns key,secret --no-headers)
export AWS_ACCESS_KEY_ID=${key%,*} AWS_SECRET_ACCESS_KEY=${key#*,}
"$volsh" gateway s3 data > "$here/gateway.log" 2>&1 &
pids+=($!)
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
printf '%s\n' "s3proxy.endpoint=http://127.0.0.1:$port" s3proxy.authorization=aws-v2-or-v4 "s3proxy.identity=$AWS_ACCESS_KEY_ID" \
    "s3proxy.credential=$AWS_SECRET_ACCESS_KEY" jclouds.provider=filesystem-nio2 "jclouds.filesystem.basedir=$here/objects" \
    jclouds.identity=local jclouds.credential=local > "$here/s3proxy.conf"
"$VOLSH_JDK/bin/java" -Xmx1g "-Djava.io.tmpdir=$here/tmp" -cp "$jar" org.gaul.s3proxy.Main --properties "$here/s3proxy.conf" \
    > "$here/s3proxy.log" 2>&1 &
pids+=($!)
for _ in $(seq 300); do
    url=$(grep -m 1 -o 'http://127[^ ]*' "$here/gateway.log" || true)
    if [ -n "$url" ] && (: < "/dev/tcp/127.0.0.1/$port") 2> /dev/null; then break; fi
    sleep 0.2
done
[ -n "$url" ] || fail "the gateway did not start: $(cat "$here/gateway.log")"
"$volsh" -q store add gateway 's3://data?hedge=off' --endpoint "$url" --region us-east-1 > /dev/null
"$volsh" -q store add s3proxy 's3://data?hedge=off' --endpoint "http://127.0.0.1:$port" --region us-east-1 > /dev/null

measure() { # STORE IO SIZE THREADS: a line 'STORE IO THREADS OPERATION RATE' for each operation
    "$volsh" -q bench store "$1" --io "$2" --size "$3" --part 4KiB -t "$4" -o csv --columns phase,perSecond --no-headers \
        | sed "s/^/$1,$2,$4,/" >> "$here/runs" || fail "bench store $1 failed"
}
echo "load before: $(cut -d ' ' -f 1-3 /proc/loadavg)"
for _ in $(seq "$rounds"); do
    for what in '4KiB 8MiB 1' '4KiB 16MiB 8' '4KiB 16MiB 64' '1MiB 256MiB 8' '64MiB 512MiB 2'; do
        read -r io size threads <<< "$what"
        for store in gateway s3proxy; do measure $store "$io" "$size" "$threads"; done
    done
done
python3 - "$here/runs" << 'END_OF_PYTHON'
import statistics, sys
runs = {}
for line in open(sys.argv[1]):
    store, io, threads, name, rate = line.rstrip('\n').split(',')
    runs.setdefault((io, int(threads), name), {}).setdefault(store, []).append(float(rate))
print('| object | threads | operation | gateway, 1/s | S3Proxy, 1/s | ratio |\n|---|---|---|---|---|---|')
for (io, threads, name), each in runs.items():
    ours, theirs = statistics.median(each['gateway']), statistics.median(each['s3proxy'])
    print(f'| {io} | {threads} | {name} | {ours:.1f} | {theirs:.1f} | {ours / theirs:.2f} |')
END_OF_PYTHON
i=0
for name in gateway S3Proxy; do
    echo "$name: $(awk '/VmHWM/ { print int($2 / 1024) }' "/proc/$(pgrep -P "${pids[$i]}" java || echo "${pids[$i]}")/status") MiB at most"
    i=$((i + 1))
done
echo "load after: $(cut -d ' ' -f 1-3 /proc/loadavg)"
