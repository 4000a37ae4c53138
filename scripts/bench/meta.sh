#!/bin/bash
# Metadata operations per second in one directory, by 1, 2, 4 and 8 mounts, with metadata in SQLite and in PostgreSQL on this machine.
#   scripts/bench/meta.sh [DIRECTORY]      works below DIRECTORY (default /tmp, where the user postgres can get at it)
#                                          VOLSH=path/to/bin/volsh (default ./volsh) FILES=500 (each client) CLIENTS='1 2 4 8'
#                                          ENTRIES=1000000 TREE=100000: of the large directory, and of the tree that is cloned; without a mount, by the
#                                          engines in memory, too (compiled tests are needed, as ./check leaves them; ENTRIES=0 leaves that out)
#   java @storage-core/build/test.args volsh.meta.MetaRates DIRECTORY removal memory|sqlite|postgres 1000000: a directory with so many entries goes
# Prints Markdown tables; needs root, python3 and PostgreSQL's programs.
set -euo pipefail
project=$(cd "$(dirname "$0")/../.." && pwd)
volsh=${VOLSH:-$project/volsh}
here=$(mktemp -d "${1:-/tmp}/volsh-bench.XXXXXX")
files=${FILES:-500}
bin=$(find /usr/lib/postgresql -mindepth 2 -maxdepth 2 -name bin | sort | tail -n 1)
[ -x "$bin/initdb" ] || { echo 'meta.sh needs PostgreSQL: apt-get install postgresql' >&2; exit 1; }
export VOLSH_HOME=$here/home

cleanup() {
    for mount in "$here"/m*; do "$volsh" -q umount "$mount" > /dev/null 2>&1 || umount -l "$mount" 2> /dev/null || true; done
    as_postgres "$bin/pg_ctl" -D "$here/pg" -m immediate stop > /dev/null 2>&1 || true
    rm -rf "$here"
}
as_postgres() { (cd /; setpriv --reuid=postgres --regid=postgres --init-groups "$@"); }
trap cleanup EXIT

chmod 755 "$here"; mkdir "$here/pg" "$here/store"; chown postgres "$here/pg"
as_postgres "$bin/initdb" -D "$here/pg" -U postgres --auth=trust --locale=C > /dev/null
as_postgres "$bin/pg_ctl" -D "$here/pg" -w -o "-p 15432 -k $here/pg -c listen_addresses=127.0.0.1" -l "$here/pg/log" start > /dev/null
"$bin/psql" -q -h "$here/pg" -p 15432 -U postgres -c 'CREATE ROLE volsh LOGIN' -c 'CREATE DATABASE volsh OWNER volsh'
"$volsh" -q store add lake "file://$here/store" > /dev/null

cat > "$here/work.py" <<'END'
import os, sys, time
top, me, files = sys.argv[1], sys.argv[2], int(sys.argv[3])
names = ['%s/d/%s-%d' % (top, me, i) for i in range(files)]
def create(name): os.close(os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
for what, work in (('create', create), ('stat', os.stat), ('unlink', os.unlink)):
    sys.stdin.readline()
    start = time.perf_counter()
    for name in names: work(name)
    print(time.perf_counter() - start, flush=True)
    if what == 'stat':
        sys.stdin.readline()
        start = time.perf_counter()
        found = len(os.listdir(top + '/d'))
        print((time.perf_counter() - start) / found, flush=True)
END

cat > "$here/crew.py" <<'END'
import subprocess, sys
script, files, mounts = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
crew = [subprocess.Popen(['python3', script, mount, str(i), str(files)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        for i, mount in enumerate(mounts)]
rates = []
for what in ('create', 'stat', 'readdir', 'unlink'):
    for one in crew: one.stdin.write('\n')
    took = [float(one.stdout.readline()) for one in crew]
    rates.append(1 / max(took) if what == 'readdir' else files * len(crew) / max(took))
print('%.0f | %.0f | %.0f | %.0f |' % (rates[0], rates[1], rates[3], rates[2]), end='')
END

cat > "$here/counts.py" <<'END'
import json, sys
total = {'metadata commit': 0, 'metadata commit, retried: conflict': 0}
for line in sys.stdin:
    for row in json.loads(line):
        if row['operation'] in total: total[row['operation']] += row['count']
print(' %s | %s |' % tuple(value if total['metadata commit'] else '' for value in total.values()))
END

cat > "$here/deep.py" <<'END'
import os, sys, time
top, files = sys.argv[1], int(sys.argv[2])
deep = top + '/p/q/r/s'
os.makedirs(deep, exist_ok=True)
names = ['%s/%d' % (deep, i) for i in range(files)]
for name in names: open(name, 'w').write('text')
def read(name):
    with open(name) as file: assert file.read() == 'text'
for work in (os.stat, read):
    start = time.perf_counter()
    for name in names: work(name)
    print('%.0f |' % (files / (time.perf_counter() - start)), end=' ')
print()
END

echo '| metadata | clients | create/s | stat/s | unlink/s | entries listed/s | commits | run in vain |'
echo '|---|---|---|---|---|---|---|---|'
for engine in sqlite postgres; do
    meta=(); [ $engine = sqlite ] || meta=(--meta "postgres://volsh@127.0.0.1:15432/volsh" --store lake)
    "$volsh" -q volume create "bench-$engine" "${meta[@]}" > /dev/null
    for clients in ${CLIENTS:-1 2 4 8}; do
        mounts=()
        for ((i = 0; i < clients; i++)); do
            mkdir -p "$here/m$i"; "$volsh" -q mount "bench-$engine" "$here/m$i" --attribute-timeout 0s --entry-timeout 0s > /dev/null; mounts+=("$here/m$i")
        done
        mkdir -p "$here/m0/d"
        printf '| %s | %d | ' $engine "$clients"
        python3 "$here/crew.py" "$here/work.py" "$files" "${mounts[@]}"
        for mount in "${mounts[@]}"; do "$volsh" -q mounts stats "$mount" -o json | tr -d '\n'; echo; done | python3 "$here/counts.py"
        for mount in "${mounts[@]}"; do "$volsh" -q umount "$mount" > /dev/null; done
    done
done

echo
echo '| postgres, one mount, files five directories down | stat/s | open, read, close/s |'
echo '|---|---|---|'
mkdir -p "$here/m0"
for policy in none close-to-open; do
    [ $policy = none ] || "$volsh" -q consistency set bench-postgres:/ $policy > /dev/null
    "$volsh" -q mount bench-postgres "$here/m0" > /dev/null
    printf '| %s | ' "$policy"
    python3 "$here/deep.py" "$here/m0" "$files"
    "$volsh" -q umount "$here/m0" > /dev/null
done

arguments=$project/storage-core/build/test.args
# shellcheck source=gradle/build.sh
. "$project/gradle/build.sh"
find_jdk
if [ "${ENTRIES:-1000000}" -gt 0 ] && [ -e "$arguments" ] && [ -e "$project/storage-core/build/classes/java/test/volsh/meta/MetaRates.class" ]; then
    echo
    cd "$project"
    "$VOLSH_JDK/bin/java" "@$arguments" "-Djava.io.tmpdir=$here" volsh.meta.MetaRates "$here" "$files" "${ENTRIES:-1000000}" "${TREE:-100000}"
fi
