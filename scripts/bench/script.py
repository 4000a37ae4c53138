#!/usr/bin/env python3
# Time to the prompt and to the first result of scripts, beside a plain command and the bare Java runtime of the image: rounds of each in turns, whole
# processes. Prints a Markdown table, and the load of the machine before and after.
#   scripts/bench/script.py [ROUNDS, default 10]      (needs build/image: ./volsh --version builds it)
import os, pty, resource, select, shutil, subprocess, sys, tempfile, time

project = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
image = os.path.join(project, 'build/image')
volsh = os.path.join(image, 'bin/volsh')
prologue = os.path.join(project, 'scripts/examples/prologue.groovy')
triage = os.path.join(project, 'scripts/examples/triage.groovy')
home = tempfile.mkdtemp()
environment = dict(os.environ, VOLSH_HOME=home, TERM='xterm-256color')
at_prompt = 'prompt'
cases = {
    'java -version of the image': [os.path.join(image, 'runtime/bin/java'), '-version'],
    'volsh volume list': [volsh, 'volume', 'list', '-q'],
    "volsh -c 'volume list'": [volsh, '-q', '-c', 'volume list'],
    'volsh: the prompt is there (CPU: to its end by Ctrl-D)': (at_prompt, b''),
    'volsh: 6 * 7 typed before the prompt is there, answered': (at_prompt, b'6 * 7\r'),
    "volsh -e '6 * 7'": [volsh, '-e', '6 * 7'],
    'the same without its AOT cache': ['env', 'VOLSH_JAVA_OPTS=-XX:AOTMode=off', volsh, '-e', '6 * 7'],
    'volsh run triage.groovy, compiled': ['sh', '-c', 'rm -rf "$VOLSH_HOME/cache/scripts"; exec "$0" run "$1"', volsh, triage],
    'triage.groovy from the cache of compiled scripts': [volsh, 'run', triage],
    'volsh run -n prologue.groovy, compiled': ['sh', '-c', 'rm -rf "$VOLSH_HOME/cache/scripts"; exec "$0" run -n "$1"', volsh, prologue],
    'prologue.groovy from the cache of compiled scripts': [volsh, 'run', '-n', prologue],
}


def prompt(keys):
    """Starts a prompt; returns when it is there, or has answered what is typed at once, then ends it."""
    start = time.time()
    child, terminal = pty.fork()
    if child == 0:
        os.execve(volsh, [volsh], environment)
    if keys:
        os.write(terminal, keys)
    wanted, shown = (b'42' if keys else b'volsh> '), b''
    while wanted not in shown:
        if not select.select([terminal], [], [], 60)[0]:
            raise RuntimeError('never shown: %r in %r' % (wanted, shown))
        shown += os.read(terminal, 65536)
    wall = time.time() - start
    try:
        while True:  # a key that comes while an answer is printed may be lost
            os.write(terminal, b'\x04')
            while select.select([terminal], [], [], 1)[0]:
                if not os.read(terminal, 65536):
                    raise OSError
    except OSError:
        pass  # it has ended
    os.close(terminal)
    os.waitpid(child, 0)
    return wall


walls, cpus = {name: [] for name in cases}, {name: [] for name in cases}
load = [os.getloadavg()[0]]
subprocess.run([volsh, '-q', 'volume', 'ensure', 'training-data'], env=environment, stdout=subprocess.DEVNULL, check=True)
try:
    for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 10):
        for name, words in cases.items():
            before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.time()
            if words[0] == at_prompt:
                walls[name].append(prompt(words[1]))
            else:
                subprocess.run(words, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
                walls[name].append(time.time() - start)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            cpus[name].append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
finally:
    shutil.rmtree(home)
load.append(os.getloadavg()[0])
print('| command | wall ms, median | min | CPU ms, median | min |\n|---|---|---|---|---|')
for name in cases:
    wall, cpu = sorted(walls[name]), sorted(cpus[name])
    print('| `%s` | %.0f | %.0f | %.0f | %.0f |' % (name, wall[len(wall) // 2] * 1e3, wall[0] * 1e3, cpu[len(cpu) // 2] * 1e3, cpu[0] * 1e3))
print('\n%d cores; load %.1f before, %.1f after' % (os.cpu_count(), load[0], load[1]))
