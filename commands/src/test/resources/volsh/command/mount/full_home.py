"""What programs do on a mount whose home they fill by themselves, each step with how it ended: ok, or the name of the error.

  full_home.py PHASE LEDGER KIND [LIMIT]     in the mount; LEDGER remembers what was acknowledged; KIND: files or directories
"""
import errno
import hashlib
import json
import os
import shutil
import signal
import sys
import time

LONGEST = 240    # seconds: what takes longer hangs
phase, place, kind = sys.argv[1:4]
limit = int(sys.argv[4]) if len(sys.argv) > 4 else 1 << 30
ledger = json.load(open(place)) if os.path.exists(place) else {}


class Hangs(Exception):
    pass


def hangs(*_):
    raise Hangs()


signal.signal(signal.SIGALRM, hangs)


def end(call):
    signal.alarm(LONGEST)
    try:
        call()
        return 'ok'
    except OSError as failed:
        return errno.errorcode[failed.errno]
    except Hangs:
        return 'HANGS'
    finally:
        signal.alarm(0)


def step(name, call):
    print(name, end(call))


def write(name, data, sync):
    fd = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    try:
        os.write(fd, data)
        if sync:
            os.fsync(fd)
    finally:
        os.close(fd)


def acknowledge(name):
    data = os.urandom(2000)
    write(name, data, True)
    ledger[name] = hashlib.sha256(data).hexdigest()


def make(name):
    if kind == 'directories':
        os.mkdir(name)
    else:
        write(name, os.urandom(3000), False)


def fill(where):
    os.makedirs(where, exist_ok=True)
    start = len(os.listdir(where))
    for i in range(start, start + limit):
        make('%s/%06d' % (where, i))
        if i % 200 == 0:
            acknowledge('kept-%s-%d' % (where, i))


def remove():
    """Every second file; of directories the first half, because many share a page of the database, which is free when all of them are gone."""
    names = sorted(os.listdir('filled'))
    for name in names[:len(names) // 2] if kind == 'directories' else names[::2]:
        (os.rmdir if kind == 'directories' else os.unlink)('filled/' + name)


def again():
    """As soon as what was removed is given back."""
    until = time.time() + LONGEST / 2
    while end(lambda: acknowledge('again')) != 'ok':
        if time.time() > until:
            raise OSError(errno.ENOSPC, 'for ever')
        time.sleep(.1)
    for i in range(20):
        make('again-%d' % i)


def check():
    for name, expected in ledger.items():
        with open(name, 'rb') as file:
            if hashlib.sha256(file.read()).hexdigest() != expected:
                print('WRONG', name)


if phase == 'before':
    for i in range(10):
        acknowledge('before-%d' % i)
elif phase == 'fill':
    step('fill', lambda: fill('filled'))
elif phase == 'refill':
    step('fill', lambda: fill('refilled'))
elif phase == 'during':
    step('read', check)
    step('statvfs', lambda: os.statvfs('.'))
    step('list', lambda: os.listdir('filled'))
elif phase == 'rename':
    step('rename', lambda: os.rename('before-0', 'renamed'))
    if os.path.exists('renamed'):
        ledger['renamed'] = ledger.pop('before-0')
elif phase == 'free':
    if kind == 'files':
        step('truncate', lambda: os.truncate('filled/000003', 0))
    step('remove', remove)
elif phase == 'again':
    step('again', again)
elif phase == 'check':
    step('check', check)
elif phase == 'clear':
    for name in ('filled', 'refilled'):
        step('rm -r', lambda: shutil.rmtree(name) if os.path.exists(name) else None)
json.dump(ledger, open(place, 'w'))
