"""What becomes of set-id bits and file capabilities when a program is changed: one line for each way and each user who does it.

Runs as root in an empty directory. "mode" is what statx says when asked for nothing else, "runs as" the user that the changed program
runs as when user 6666 starts it, "capability" whether it still has file capabilities. With "brief", fewer ways for other users than a
member of the group.
"""
import ctypes, errno, mmap, os, subprocess, sys

libc = ctypes.CDLL(None, use_errno=True)
MEMBER, STRANGER, RUNNER, GROUP = 4321, 5555, 6666, 4321
CAPABILITY = bytes.fromhex('0100000280000000000000000000000000000000')   # cap_setuid+ep
PROGRAM = open('/usr/bin/id', 'rb').read()
PROGRAM += bytes(-len(PROGRAM) % 4096)
TAIL = len(PROGRAM)   # where changes do not harm the program
WHOLE = PROGRAM + bytes(65536)


def call(result, what):
    if result < 0:
        raise OSError(ctypes.get_errno(), what)
    return result


def fallocate(file, mode, offset, length):
    call(libc.fallocate(file, mode, ctypes.c_long(offset), ctypes.c_long(length)), 'fallocate')


def opened(flags, change):
    file = os.open('tool', flags)
    try:
        change(file)
    finally:
        os.close(file)


def direct(file):
    buffer = mmap.mmap(-1, 4096)
    buffer[:] = b'd' * 4096
    os.pwritev(file, [buffer], TAIL)


def mapped(file):
    memory = mmap.mmap(file, len(WHOLE))
    memory[TAIL:TAIL + 6] = b'mapped'
    memory.flush()


def copied(file):
    source = os.open('source', os.O_RDONLY)
    os.copy_file_range(source, file, 8192, 0, TAIL)
    os.close(source)


KEEP, PUNCH, ZERO = 1, 2, 16
WAYS = {
    'write': lambda: opened(os.O_RDWR, lambda f: os.pwrite(f, WHOLE, 0)),
    'direct': lambda: opened(os.O_RDWR | os.O_DIRECT, direct),
    'append': lambda: opened(os.O_WRONLY | os.O_APPEND, lambda f: os.write(f, b'a')),
    'synchronous': lambda: opened(os.O_WRONLY | os.O_SYNC, lambda f: os.pwrite(f, b's', TAIL)),
    'mmap': lambda: opened(os.O_RDWR, mapped),
    'ftruncate': lambda: opened(os.O_RDWR, lambda f: os.ftruncate(f, TAIL + 100)),
    'truncate': lambda: os.truncate('tool', TAIL + 100000),
    'empty': lambda: os.close(os.open('tool', os.O_WRONLY | os.O_TRUNC)),
    'allocate': lambda: opened(os.O_RDWR, lambda f: fallocate(f, 0, TAIL, 100000)),
    'reserve': lambda: opened(os.O_RDWR, lambda f: fallocate(f, KEEP, TAIL, 100000)),
    'punch': lambda: opened(os.O_RDWR, lambda f: fallocate(f, KEEP | PUNCH, TAIL, 4096)),
    'zero': lambda: opened(os.O_RDWR, lambda f: fallocate(f, ZERO, TAIL, 4096)),
    'copy': lambda: opened(os.O_RDWR, copied),
    'nothing': lambda: opened(os.O_RDWR, lambda f: None),
}


class Header(ctypes.Structure):
    _fields_ = [('version', ctypes.c_uint32), ('pid', ctypes.c_int)]


class Data(ctypes.Structure):
    _fields_ = [('effective', ctypes.c_uint32), ('permitted', ctypes.c_uint32), ('inheritable', ctypes.c_uint32)]


def without_fsetid():
    header, data = Header(0x20080522, 0), (Data * 2)()
    call(libc.capget(ctypes.byref(header), data), 'capget')
    data[0].effective &= ~(1 << 4)
    call(libc.capset(ctypes.byref(header), data), 'capset')


def become(uid):
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


USERS = {'member': lambda: become(MEMBER), 'stranger': lambda: become(STRANGER), 'root': lambda: None, 'weak root': without_fsetid}


def mode():
    buffer = ctypes.create_string_buffer(256)
    call(libc.statx(-100, b'tool', 0, 1 | 2, buffer), 'statx')   # STATX_TYPE | STATX_MODE
    return int.from_bytes(buffer[28:30], 'little') & 0o7777


def run_as():
    ran = subprocess.run(['./tool', '-u'], capture_output=True, user=RUNNER, group=RUNNER, extra_groups=[])
    return ran.stdout.decode().strip()


def tried(way, user, bits, capability):
    if os.path.exists('tool'):
        os.unlink('tool')
    with open('tool', 'wb') as file:
        file.write(WHOLE)
    os.chown('tool', 0, GROUP)
    os.chmod('tool', bits)
    if capability:
        os.setxattr('tool', 'security.capability', CAPABILITY)
    os.stat('tool')
    run_as()   # the kernel knows it now
    child = os.fork()
    if child == 0:
        try:
            USERS[user]()
            WAYS[way]()
            os._exit(0)
        except OSError as refused:
            os._exit(refused.errno)
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    shown, user_id = mode(), '' if capability or way == 'empty' else run_as()
    kept = 'capability' if 'security.capability' in os.listxattr('tool') else ''
    return '%s by %s%s: %s mode %o runs as %s %s' % (way, user, ' with capabilities' if capability else '', 'done' if ended == 0 else errno.errorcode[ended], shown, user_id, kept)


OTHERS = ('write', 'copy') if sys.argv[1:] == ['brief'] else ('write', 'append', 'ftruncate', 'punch', 'copy')
os.umask(0o022)
with open('source', 'wb') as file:
    file.write(b's' * 8192)
for way in WAYS:
    print(tried(way, 'member', 0o6775, False))
    if way in OTHERS:
        print(tried(way, 'stranger', 0o6767, False))
        print(tried(way, 'root', 0o6775, False))
        print(tried(way, 'weak root', 0o6775, False))
        print(tried(way, 'member', 0o0775, True))
