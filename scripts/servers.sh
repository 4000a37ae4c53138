#!/bin/bash
# Volumes on other people's S3 servers: what 'store probe' finds out of each, the options it needs, and whether a volume
# works there (create, put, get, check, attach from another home, destroy). Prints the table of docs/SERVERS.md. Servers
# come from Maven Central and npm; one that cannot be had is said.
#
#   scripts/servers.sh            VOLSH names the program (default ./volsh), DIR a directory for temporary files
set -euo pipefail
cd "$(dirname "$0")/.."
volsh=${VOLSH:-$PWD/volsh}
# shellcheck source=gradle/build.sh
. gradle/build.sh
find_jdk
here=$(mktemp -d "${DIR:-/tmp}/servers.XXXXXX")
pids=()
failed=0
# shellcheck disable=SC2317  # called by the traps
cleanup() {
    trap - EXIT
    for pid in "${pids[@]}"; do kill "$pid" 2> /dev/null || true; wait "$pid" 2> /dev/null || true; done
    rm -rf "$here"
}
trap cleanup EXIT
trap 'exit 130' INT TERM
export AWS_ACCESS_KEY_ID=S3RVER AWS_SECRET_ACCESS_KEY=S3RVER LC_ALL=C.UTF-8
unset AWS_CA_BUNDLE || true
head -c 3000000 /dev/urandom > "$here/file"
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
await() { for _ in $(seq 150); do if (: < "/dev/tcp/127.0.0.1/$1") 2> /dev/null; then return; fi; sleep 0.2; done; return 1; }

trial() { # NAME PORT BUCKET
    local url=http://127.0.0.1:$2 options='' row place="s3://$3/trial"
    export VOLSH_HOME=$here/home.$2
    if ! "$volsh" -q store add s "$place" --endpoint "$url" --region us-east-1 > "$here/log" 2>&1; then
        options=$(grep -o -e '--no-conditional-put' -e '--checksum md5' "$here/log" | sort -u | tr '\n' ' ')
        # shellcheck disable=SC2086  # a list of options
        "$volsh" -q store add s "$place" --endpoint "$url" --region us-east-1 $options > "$here/log" 2>&1 || {
            echo "| $1 | not usable: $(head -n 1 "$here/log") |"
            failed=1
            return
        }
    fi
    row=$("$volsh" -q store probe s --count 2 -o csv --columns operation,answer --no-headers 2> "$here/log" | awk -F, \
        'NR <= 6 { printf "%s | ", $2 }')
    local works=yes
    # shellcheck disable=SC2086
    { "$volsh" -q volume create v --store s && "$volsh" -q put "$here/file" v:/f \
        && "$volsh" -q cat v:/f | cmp - "$here/file" && "$volsh" -q rm v:/f && "$volsh" -q put "$here/file" v:/g \
        && "$volsh" -q volume check v \
        && VOLSH_HOME=$here/second.$2 "$volsh" -q volume attach "$place" --endpoint "$url" --region us-east-1 $options \
        && VOLSH_HOME=$here/second.$2 "$volsh" -q cat v:/g | cmp - "$here/file" \
        && VOLSH_HOME=$here/second.$2 "$volsh" -q put "$here/file" v:/h \
        && ! "$volsh" -q put "$here/file" v:/late \
        && VOLSH_HOME=$here/second.$2 "$volsh" -q volume destroy v --confirm v; } > "$here/log" 2>&1 \
        || { works="NO: $(tail -n 1 "$here/log")"; failed=1; }
    echo "| $1 | $row$works | ${options:-none} |"
}

s3proxy() { # VERSION
    local jar=$here/s3proxy-$1.jar port
    jar=$(find "$HOME/.m2" "${GRADLE_USER_HOME:-$HOME/.gradle}" -name "s3proxy-$1-jar-with-dependencies.jar" 2> /dev/null \
        | head -n 1)
    if [ -z "$jar" ]; then
        jar=$here/s3proxy-$1.jar
        curl -sSfL -o "$jar" \
            "https://repo1.maven.org/maven2/org/gaul/s3proxy/$1/s3proxy-$1-jar-with-dependencies.jar" || {
            echo "skipped S3Proxy $1: not to be had from Maven Central"
            return
        }
    fi
    port=$(free_port)
    mkdir -p "$here/objects.$port/bucket" "$here/tmp"
    printf '%s\n' "s3proxy.endpoint=http://127.0.0.1:$port" s3proxy.authorization=aws-v2-or-v4 \
        "s3proxy.identity=$AWS_ACCESS_KEY_ID" "s3proxy.credential=$AWS_SECRET_ACCESS_KEY" \
        jclouds.provider=filesystem-nio2 "jclouds.filesystem.basedir=$here/objects.$port" jclouds.identity=local \
        jclouds.credential=local > "$here/s3proxy.$port"
    "$VOLSH_JDK/bin/java" -Xmx512m "-Djava.io.tmpdir=$here/tmp" -cp "$jar" org.gaul.s3proxy.Main \
        --properties "$here/s3proxy.$port" > "$here/s3proxy.$port.log" 2>&1 &
    pids+=($!)
    await "$port" || { echo "skipped S3Proxy $1: it does not start"; return; }
    trial "S3Proxy $1" "$port" bucket
}

gateway() {
    local port key
    port=$(free_port)
    VOLSH_HOME=$here/outer "$volsh" -q volume create bucket > /dev/null
    key=$(VOLSH_HOME=$here/outer "$volsh" -q gateway key create -o csv --columns key,secret --no-headers)
    VOLSH_HOME=$here/outer "$volsh" gateway s3 bucket --listen "$port" > "$here/gateway.log" 2>&1 &
    pids+=($!)
    await "$port"
    AWS_ACCESS_KEY_ID=${key%,*} AWS_SECRET_ACCESS_KEY=${key#*,} trial 'volsh gateway' "$port" bucket
}

s3rver() {
    command -v npm > /dev/null || { echo 'skipped s3rver: no npm here'; return; }
    (cd "$here" && npm install --no-audit --no-fund --silent s3rver > npm.log 2>&1) || {
        echo 'skipped s3rver: npm cannot install it'
        return
    }
    local port version
    port=$(free_port)
    version=$(sed -n 's/.*"version": "\(.*\)".*/\1/p' "$here/node_modules/s3rver/package.json")
    mkdir -p "$here/s3rver"
    "$here/node_modules/.bin/s3rver" -d "$here/s3rver" -p "$port" -a 127.0.0.1 --configure-bucket bucket \
        > "$here/s3rver.log" 2>&1 &
    pids+=($!)
    await "$port" || { echo "skipped s3rver $version: it does not start"; return; }
    trial "s3rver $version" "$port" bucket
}

echo '| server | conditional put | checksum | range | list v2 | multi-delete | versioning | volumes work | options |'
echo '|---|---|---|---|---|---|---|---|---|'
gateway
s3proxy 4.1.0
s3proxy 4.0.0
s3proxy 3.3.0
s3proxy 2.6.0
s3rver
exit $failed
