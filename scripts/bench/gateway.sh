#!/bin/bash
# 'volsh gateway s3' beside S3Proxy serving a plain directory of the same disk: both check signatures; the client is s3_client.py. Each
# size is measured for both in turns; prints rates, processor time of the servers for each request, ours to theirs, then the memory of
# both. Not the same promise: the gateway syncs what it acknowledges, S3Proxy leaves it to the kernel.
#   scripts/bench/gateway.sh [DIRECTORY]     works below DIRECTORY (default /var/tmp)     VOLSH=path/to/bin/volsh (default ./volsh)
#                                            ROUNDS=3 (medians)  SECONDS_EACH=5  ONLY='4096 8' (size and connections; default: all)
#                                            S3PROXY=s3proxy-jar-with-dependencies.jar (default: the one of the tests)
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
process() { pgrep -P "$1" java || echo "$1"; }
ours=$(process "${pids[0]}") theirs=$(process "${pids[1]}")
measure() { # SERVER PORT PID VERB SIZE CONNECTIONS OBJECTS SECONDS
    answer=$(python3 "$project/scripts/bench/s3_client.py" "$4" "$2" "$AWS_ACCESS_KEY_ID" "$AWS_SECRET_ACCESS_KEY" "$3" "$5" "$6" "$8" "$7") \
        || fail "$4 of $5 bytes at $1 failed"
    [ "$9" = 0 ] || echo "$1,$4,$5,$6,$answer" >> "$here/runs"
}
echo "load before: $(cut -d ' ' -f 1-3 /proc/loadavg)"
for round in $(seq 0 "$rounds"); do   # round 0 warms both
    for what in '4096 1 500' '4096 8 500' '4096 64 500' '1048576 8 64' '67108864 2 4'; do
        read -r size threads objects <<< "$what"
        case ${ONLY:-all} in all | "$size $threads") ;; *) continue ;; esac
        for verb in put get; do
            measure gateway "${url##*:}" "$ours" "$verb" "$size" "$threads" "$objects" "${SECONDS_EACH:-5}" "$round"
            measure s3proxy "$port" "$theirs" "$verb" "$size" "$threads" "$objects" "${SECONDS_EACH:-5}" "$round"
        done
    done
done
python3 - "$here/runs" << 'END_OF_PYTHON'
import statistics, sys
runs = {}
for line in open(sys.argv[1]):
    server, verb, size, threads, rate, cpu = line.rstrip('\n').split(',')
    runs.setdefault((verb, int(size), int(threads)), {}).setdefault(server, []).append((float(rate), float(cpu)))
print('| request | size | connections | gateway, 1/s | S3Proxy, 1/s | ratio | gateway, CPU µs each | S3Proxy | ratio |')
print('|---|---|---|---|---|---|---|---|---|')
for (verb, size, threads), each in runs.items():
    (rate, cpu), (their_rate, their_cpu) = (tuple(statistics.median(column) for column in zip(*each[server]))
                                            for server in ('gateway', 's3proxy'))
    print(f'| {verb} | {size} | {threads} | {rate:.1f} | {their_rate:.1f} | {rate / their_rate:.2f} '
          f'| {cpu:.0f} | {their_cpu:.0f} | {their_cpu / cpu:.2f} |')
END_OF_PYTHON
i=0
for name in gateway S3Proxy; do
    echo "$name: $(awk '/VmHWM/ { print int($2 / 1024) }' "/proc/$(process "${pids[$i]}")/status") MiB at most"
    i=$((i + 1))
done
echo "load after: $(cut -d ' ' -f 1-3 /proc/loadavg)"
