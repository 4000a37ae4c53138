#!/usr/bin/env python3
# Time to the first result of scripts, beside a plain command: rounds of each in turns, whole processes. Prints a Markdown table.
#   scripts/bench/script.py [ROUNDS, default 10]      (needs build/image: ./volsh --version builds it)
import os, resource, shutil, subprocess, sys, tempfile, time

project = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
volsh = os.path.join(project, 'build/image/bin/volsh')
triage = os.path.join(project, 'scripts/examples/triage.groovy')
home = tempfile.mkdtemp()
environment = dict(os.environ, VOLSH_HOME=home)
cases = {
    'volsh volume list': [volsh, 'volume', 'list', '-q'],
    "volsh -c 'volume list'": [volsh, '-q', '-c', 'volume list'],
    "volsh -e '6 * 7'": [volsh, '-e', '6 * 7'],
    'the same without its AOT cache': ['env', 'VOLSH_JAVA_OPTS=-XX:AOTMode=off', volsh, '-e', '6 * 7'],
    'volsh run triage.groovy, compiled': ['sh', '-c', 'rm -rf "$VOLSH_HOME/cache/scripts"; exec "$0" run "$1"', volsh, triage],
    'the same, from the cache of compiled scripts': [volsh, 'run', triage],
}
walls, cpus = {name: [] for name in cases}, {name: [] for name in cases}
try:
    for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 10):
        for name, words in cases.items():
            before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.time()
            subprocess.run(words, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            walls[name].append(time.time() - start)
            cpus[name].append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
finally:
    shutil.rmtree(home)
print('| command | wall ms, median | min | CPU ms, min |\n|---|---|---|---|')
for name in cases:
    wall = sorted(walls[name])
    print('| `%s` | %.0f | %.0f | %.0f |' % (name, wall[len(wall) // 2] * 1e3, wall[0] * 1e3, min(cpus[name]) * 1e3))
