#!/bin/sh
# Start-up of the image beside what people compare it with. Prints a Markdown table: wall and CPU milliseconds, mean of 30 runs.
#   scripts/bench/startup.sh [volsh arguments, default --version]
set -eu
CDPATH='' cd -- "$(dirname -- "$0")/../.."
[ $# -gt 0 ] || set -- --version
command -v hyperfine >/dev/null || { echo 'startup.sh needs hyperfine: apt-get install hyperfine' >&2; exit 1; }
./volsh --version >/dev/null
results=$(mktemp)
trap 'rm -f "$results"' EXIT
image=$PWD/build/image
hyperfine -N --warmup 5 --runs 30 --style none --export-csv "$results" \
    "$image/bin/volsh $*" "$PWD/volsh $*" "$image/runtime/bin/java -version" 'python3 -c pass' 'rclone version' >/dev/null 2>&1 ||
    hyperfine -N --warmup 5 --runs 30 --style none --export-csv "$results" \
        "$image/bin/volsh $*" "$PWD/volsh $*" "$image/runtime/bin/java -version" >/dev/null
echo '| command | wall ms | min | CPU ms |'
echo '|---|---|---|---|'
sed "1d; s,$image/,,; s,$PWD/,./,g" "$results" |
    awk -F, '{ printf "| `%s` | %.0f ± %.0f | %.0f | %.0f |\n", $1, $2 * 1000, $3 * 1000, $7 * 1000, ($5 + $6) * 1000 }'
