#!/bin/bash
# volsh beside its peers, each row measured for all of them in turns on one machine: a local directory, bindfs, volsh on a local
# volume, on a bucket and on a bucket with --writeback, rclone mount (vfs cache full) and s3fs (use_cache). Prints Markdown tables:
# medians with their spread and the ratio to the best peer, processor seconds, and where a peer is first, why. Needs root, /dev/fuse
# and a JDK 25 for the S3 server (S3Proxy on loopback); bindfs, rclone, s3fs and fuse3 are installed from Debian if they are missing.
# 20 minutes of a quiet machine, with --quick 5.
#   scripts/bench/peers.sh [--quick] [DIRECTORY]     works below DIRECTORY (default /var/tmp)    VOLSH=path/to/bin/volsh (default ./volsh)
#                                                    ONLY='local bindfs volsh volsh-s3 volsh-s3-wb rclone s3fs' (some of them)
#                                                    ROWS='write|cp -r' (a regular expression)  ROUNDS=3 (fewer, if they take more than
#                                                    MINUTES=22)  SCALE=1 (sizes and counts)
#                                                    S3PROXY=s3proxy-jar-with-dependencies.jar (default: the one that the tests use)
set -euo pipefail
project=$(cd "$(dirname "$0")/../.." && pwd)
if [ "${1:-}" = --quick ]; then
    shift
    export ROUNDS=${ROUNDS:-1} SCALE=${SCALE:-0.3}
fi
export VOLSH=${VOLSH:-$project/volsh}
fail() { echo "peers.sh: $*" >&2; exit 1; }
if [ "$(id -u)" != 0 ] || [ ! -w /dev/fuse ]; then fail 'needs root and /dev/fuse'; fi
missing=()
for tool in bindfs rclone s3fs fusermount3 python3 curl; do
    command -v $tool > /dev/null || missing+=("${tool/fusermount3/fuse3}")
done
if [ ${#missing[@]} -gt 0 ]; then
    echo "peers.sh: installing ${missing[*]} from Debian" >&2
    { DEBIAN_FRONTEND=noninteractive apt-get install -qq -y "${missing[@]}" || {
        apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y "${missing[@]}"; }; } > /dev/null
fi
cd "$project"
# shellcheck source=gradle/build.sh
. gradle/build.sh
find_jdk
here=$(mktemp -d "${1:-/var/tmp}/volsh-peers.XXXXXX")
runner=
cleanup() { # the mounts are gone when the measurements have ended
    trap - EXIT INT TERM
    if [ -n "$runner" ]; then
        kill "$runner" 2> /dev/null || true
        wait "$runner" || true
    fi
    rm -rf --one-file-system "$here"
}
trap cleanup EXIT
trap 'exit 130' INT TERM
version=4.1.0
jar=${S3PROXY:-$(find "$HOME/.m2" "${GRADLE_USER_HOME:-$HOME/.gradle}" -name 's3proxy-*-jar-with-dependencies.jar' 2> /dev/null | head -n 1)}
if [ -z "$jar" ]; then
    jar=$here/s3proxy.jar
    curl -sSfL -o "$jar" "https://repo1.maven.org/maven2/org/gaul/s3proxy/$version/s3proxy-$version-jar-with-dependencies.jar" ||
        fail 'no S3Proxy here and none from Maven Central: say S3PROXY=its jar with dependencies'
fi
"$VOLSH" --version > /dev/null   # builds it, if it is built here
python3 "$project/scripts/bench/peers.py" "$here" "$jar" &
runner=$!
wait "$runner"
runner=
