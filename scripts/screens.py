#!/usr/bin/env python3
"""Takes the pictures in docs/screens: runs volsh at an emulated terminal, on a home made for it.

    scripts/screens.py [DIRECTORY [--without-top]]          VOLSH: the program (default: build/image/bin/volsh)

Needs python3-pyte, and for the picture of top a machine on which volumes can be mounted.
"""
import os, shutil, signal, subprocess, sys, tempfile, time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from terminal import Terminal

project = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
volsh = os.environ.get('VOLSH', os.path.join(project, 'build/image/bin/volsh'))
target = sys.argv[1] if len(sys.argv) > 1 else os.path.join(project, 'docs/screens')
home = tempfile.mkdtemp(prefix='volsh-screens-')
environment = {key: value for key, value in os.environ.items() if key not in ('NO_COLOR', 'FORCE_COLOR', 'CLICOLOR', 'COLUMNS', 'LINES')}
environment.update(VOLSH_HOME=os.path.join(home, 'home'), TERM='xterm-256color', LC_ALL='C.UTF-8', TZ='UTC')


def take(name):
    terminal.settle()
    for kind in ('.svg', '.txt'):
        terminal.save(os.path.join(target, name + kind))
    print(name)


def line(keys, shown):
    """Types a line, and waits until it was run."""
    terminal.wait('volsh> ', line=True)
    terminal.type(keys + '\r')
    terminal.wait(shown)
    terminal.wait('volsh> ', line=True)


def clear():
    """An empty line at the top of an empty screen."""
    terminal.type('\x05\x15\x0c')
    terminal.settle()
    terminal.wait('^volsh> ', line=True)


os.makedirs(target, exist_ok=True)
with open(os.path.join(home, 'epoch.tar'), 'wb') as data:
    data.write(os.urandom(1 << 20) * 200)     # more than fits the buffers
subprocess.run([volsh, '-q', '-c', '; '.join([
    'volume create training-data --compression lz4', 'volume create eval-data --block-size 1MiB', 'volume create checkpoints --profile checkpoints',
    'store add far "file://%s/far?bandwidth=15MB/s"' % home, 'volume create archive --store far --compression none'])],
    env=environment, cwd=home, check=True, stdout=subprocess.DEVNULL)
demo = Terminal(90, 120, [volsh, 'demo'], dict(environment, TMPDIR='/tmp'), home)
try:
    if demo.end() != 0:
        sys.exit('volsh demo failed\n' + demo.text())
    with open(os.path.join(target, 'demo.svg'), 'w') as out:
        out.write(demo.svg(moving=True))
    demo.save(os.path.join(target, 'demo.txt'))
    print('demo')
finally:
    if not demo.ended:
        demo.kill()
terminal = Terminal(24, 110, [volsh], environment, home)
try:
    line('= 40 + 2', '42')
    clear()
    terminal.type('volume create new --block-size 4MiB --profle logs')
    terminal.wait('--profle logs', line=True)
    terminal.wait(r'volume create \[OPTION')
    take('prompt')
    clear()
    for _ in range(20):     # names, and what is told about the volumes, come a moment later
        terminal.type('volume show data')
        terminal.wait('volume show data', line=True)
        terminal.type('\t')
        terminal.settle()
        if 'training-data' in terminal.text() and 'in default' in terminal.text():
            break
        time.sleep(1)
        clear()
    take('menu')
    clear()
    line('volume list | where blockSize > 1MiB | sort -name | select name,store,blockSize,compression', 'training-data')
    take('table')
    clear()
    terminal.type('put epoch.tar archive:/epoch.tar\r')
    terminal.wait(r'[1-9]\d?%')
    terminal.save(os.path.join(target, 'progress.svg'))
    terminal.save(os.path.join(target, 'progress.txt'))
    print('progress')
    terminal.wait('volsh> ', line=True)
    clear()
    line('destory volume training-data', 'did you mean')
    take('error')
    clear()
    if '--without-top' not in sys.argv:
        os.mkdir(os.path.join(home, 'data'))
        line('mount archive data --direct-io --cache-memory 64MiB', 'mounted')
        reader = subprocess.Popen(['sh', '-c', 'while :; do cat data/epoch.tar; done'], cwd=home, stdout=subprocess.DEVNULL, start_new_session=True)
        try:
            clear()
            terminal.type('top --interval 1s\r')
            terminal.wait(r'store \d+')
            time.sleep(2)
            take('top')
            terminal.type('\x03')
        finally:
            os.killpg(reader.pid, signal.SIGKILL)
            reader.wait()
        terminal.wait('volsh> ', line=True)
        clear()
        line('umount data', 'unmounted')
    terminal.type('quit\r')
    sys.exit(terminal.end())
finally:
    if not terminal.ended:
        terminal.kill()
    shutil.rmtree(home, ignore_errors=True)
