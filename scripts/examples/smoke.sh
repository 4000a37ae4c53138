#!/bin/sh
# A CI smoke test: stores a directory in a temporary volume, reads it back and compares. Cleans up everything, also on failure.
#
#   smoke.sh [DIRECTORY]      (default: a small one made here)
set -eu
volsh=${VOLSH:-volsh}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
VOLSH_HOME=$scratch/home
export VOLSH_HOME

data=${1:-$scratch/data}
if [ ! -d "$data" ]; then
    mkdir -p "$data/sub"
    head -c 5000000 /dev/urandom >"$data/large.bin"
    seq 1 1000 >"$data/sub/small.txt"
    ln -s sub/small.txt "$data/link"
fi

"$volsh" volume create smoke --compression zstd:3 -q >/dev/null
"$volsh" put -r -q "$data" smoke:/data >/dev/null
"$volsh" get -r -q smoke:/data "$scratch/copy" >/dev/null
diff -r "$data" "$scratch/copy"
"$volsh" volume destroy smoke --confirm smoke -q >/dev/null
echo "smoke test passed"
