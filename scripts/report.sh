#!/bin/bash
# Takes the picture docs/screens/report.png: runs benches in a home made for it, writes their report, and opens it in headless Chromium.
#   scripts/report.sh [PNG] [DIRECTORY]      measures below DIRECTORY (default /var/tmp)    VOLSH=path/to/bin/volsh (default ./volsh)
set -euo pipefail
project=$(cd "$(dirname "$0")/.." && pwd)
volsh=${VOLSH:-$project/volsh}
png=$(realpath -m "${1:-$project/docs/screens/report.png}")
chromium=$(command -v chromium || command -v chromium-headless-shell) || { echo 'report.sh needs chromium: apt-get install chromium' >&2; exit 1; }
here=$(mktemp -d "${2:-/var/tmp}/volsh-report.XXXXXX")
trap 'rm -rf "$here"' EXIT
export VOLSH_HOME=$here/home
mkdir "$here/disk"
bench() { "$volsh" -q bench "$@" > /dev/null; }
bench run qd --on "$here/disk" --size 64MiB --duration 1s
bench run qd --on "$here/disk" --size 64MiB --duration 1s --direct
bench run epochs --on "$here/disk" --size 32MiB --cache 25%,80% --epochs 2 --store latency=1ms
mapfile -t runs < <("$volsh" bench list -o name)
bench report "${runs[@]}" --html "$here/report.html"
"$chromium" --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size="1000,${HEIGHT:-1900}" --user-data-dir="$here/profile" --screenshot="$png" "file://$here/report.html" \
    2> "$here/log" || { cat "$here/log" >&2; exit 1; }
echo "$png"
