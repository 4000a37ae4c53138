"""What programs do on a mount before, while and after a disk below it is full, each step with how it ended: ok, or the name of the error.

  full_disks.py PHASE LEDGER     in the mount; LEDGER remembers what was acknowledged
  full_disks.py check LEDGER     in a copy of the volume: names what is not as it was acknowledged
"""
import errno
import hashlib
import json
import os
import signal
import sys

MIB = 1 << 20
LONGEST = 90    # seconds: what takes longer hangs
phase, place = sys.argv[1:3]
ledger = json.load(open(place)) if os.path.exists(place) else {}


class Hangs(Exception):
    pass


def hangs(*_):
    raise Hangs()


signal.signal(signal.SIGALRM, hangs)


def step(name, call):
    signal.alarm(LONGEST)
    try:
        call()
        print(name, 'ok')
        return True
    except OSError as failed:
        print(name, errno.errorcode[failed.errno])
    except Hangs:
        print(name, 'HANGS')
    finally:
        signal.alarm(0)
    return False


def acknowledged(name, data):
    """From now on the file begins with these bytes."""
    ledger[name] = [len(data), hashlib.sha256(data).hexdigest()] if data is not None else None


def write(name, size, flags=os.O_WRONLY | os.O_CREAT):
    data = os.urandom(size)
    fd = os.open(name, flags)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(fd, rest):]
        os.fsync(fd)
    finally:
        os.close(fd)
    return data


def create(name, size):
    acknowledged(name, write(name, size))


def append():
    before = open('appended', 'rb').read()
    acknowledged('appended', before + write('appended', 2 * MIB, os.O_WRONLY | os.O_APPEND))


def sync():
    fd = os.open('large', os.O_RDWR)
    os.fsync(fd)
    os.close(fd)


def rename(old, new):
    os.rename(old, new)
    ledger[new], ledger[old] = ledger[old], None


def unlink(name):
    os.unlink(name)
    acknowledged(name, None)


def truncate():
    os.truncate('shrunk', 0)
    acknowledged('shrunk', b'')


def exhaust():
    """Takes all that is left: a full disk still has room in files that are there."""
    for i in range(50000):
        os.mkdir('made/d%d' % i)


def read():
    for name in ('small', 'large'):
        check(name)


def check(name):
    length, digest = ledger[name]
    with open(name, 'rb') as file:
        data = file.read()
    if hashlib.sha256(data[:length]).hexdigest() != digest:
        print('WRONG', name, len(data))


def clean():
    for name in os.listdir('made'):
        os.rmdir('made/' + name)
    for name in ('during-small', 'during-large'):
        if os.path.exists(name):
            unlink(name)


if phase == 'before':
    os.mkdir('made')
    os.mkdir('gone')
    create('small', 1000)
    create('large', MIB)
    create('old', 5000)
    create('removed', MIB)
    create('shrunk', MIB // 2)
    create('appended', MIB // 4)
elif phase == 'exhaust':
    step('mkdir', exhaust)
elif phase == 'during':
    step('read', read)
    step('write small', lambda: create('during-small', 1000))
    step('write large', lambda: create('during-large', 2 * MIB))
    step('append', append)
    step('fsync', sync)
    step('rename', lambda: rename('old', 'new'))
    step('link', lambda: os.link('small', 'made-link'))
    step('chmod', lambda: os.chmod('small', 0o640))
    step('xattr', lambda: os.setxattr('small', 'user.x', b'y' * 500))
    step('statvfs', lambda: os.statvfs('.'))
    step('listdir', lambda: os.listdir('.'))
elif phase == 'free':
    step('truncate', truncate)
    step('unlink', lambda: unlink('removed'))
    step('rmdir', lambda: os.rmdir('gone'))
    step('clean', clean)
elif phase == 'after':
    step('write small', lambda: create('after-small', 1000))
    step('write large', lambda: create('after-large', MIB))
    step('append', append)
    step('mkdir', lambda: os.mkdir('made/after'))
    step('read', read)
elif phase == 'check':
    for name, expected in ledger.items():
        if expected is None:
            if os.path.exists(name):
                print('THERE', name)
        elif not os.path.exists(name):
            print('LOST', name)
        else:
            check(name)
json.dump(ledger, open(place, 'w'))
