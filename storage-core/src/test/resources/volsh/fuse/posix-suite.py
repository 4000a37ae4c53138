"""What POSIX and Linux say of each call on files: results, error numbers, permissions of other users, times, links.

usage: posix-suite.py DIRECTORY OTHER

Works in DIRECTORY, which must be empty, as root; OTHER is a directory of another file system. Prints a line per test:
`ok NAME CHECKS` or `not ok NAME WHAT`. Relative paths only: other users need no way to DIRECTORY.
"""
import ctypes
import errno
import os
import resource
import signal
import socket
import stat
import sys
import time
import traceback

libc = ctypes.CDLL(None, use_errno=True)
NAME_MAX = 255
PATH_MAX = 4096
TYPES = ("regular", "dir", "fifo", "block", "char", "socket", "symlink")
UTIME_NOW = (1 << 30) - 1
UTIME_OMIT = (1 << 30) - 2
AT_FDCWD = -100
NOFOLLOW = 0x100
checks = 0
numbers = 0
other = ""


class Failed(Exception):
    pass


def check(right, *what):
    global checks
    checks += 1
    if not right:
        raise Failed(" ".join(shown(w) for w in what))


def shown(what):
    text = str(what)
    return text if len(text) < 200 else text[:100] + "..." + text[-60:]


def name():
    global numbers
    numbers += 1
    return "n%05d" % numbers


def run(call, *args, **kw):
    """What a call answers: a value, or the name of its error."""
    try:
        return call(*args, **kw)
    except OSError as failed:
        return errno.errorcode[failed.errno]


def expect(wanted, call, *args, **kw):
    got = run(call, *args, **kw)
    if wanted == 0:
        check(not (isinstance(got, str) and got.startswith("E")), call.__name__, args, "answers", got, "and not success")
    else:
        check(got == wanted, call.__name__, args, "answers", got, "and not", wanted)
    return got


def as_user(uid, gids, call, *args, umask=0o022, **kw):
    """The same, by another user: in a child, so that nothing of it stays."""
    gids = gids if isinstance(gids, (list, tuple)) else [gids]
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups(gids)
            os.setresgid(gids[0], gids[0], gids[0])
            os.setresuid(uid, uid, uid)
            os.umask(umask)
            got = run(call, *args, **kw)
            text = got if isinstance(got, str) and got.startswith("E") else "0"
        except BaseException as broken:
            text = "broken: %r" % broken
        os.write(write_end, text.encode())
        os._exit(0)
    os.close(write_end)
    text = os.read(read_end, 1000).decode()
    os.close(read_end)
    os.waitpid(child, 0)
    return text


def expect_as(uid, gids, wanted, call, *args, **kw):
    got = as_user(uid, gids, call, *args, **kw)
    check(got == str(wanted), "user", uid, gids, call.__name__, args, "answers", got, "and not", wanted)


# ---- calls that Python has not, or not like this

def result(value):
    if value < 0:
        raise OSError(ctypes.get_errno(), "")
    return value


def create(path, mode=0o644):
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode))


def open_close(path, flags, mode=0o644):
    os.close(os.open(path, flags, mode))


def mksock(path):
    s = socket.socket(socket.AF_UNIX)
    try:
        s.bind(path)
    finally:
        s.close()


def make(kind, path, mode=0o644):
    {
        "regular": lambda: create(path, mode),
        "dir": lambda: os.mkdir(path, mode),
        "fifo": lambda: os.mkfifo(path, mode),
        "block": lambda: os.mknod(path, stat.S_IFBLK | mode, os.makedev(1, 2)),
        "char": lambda: os.mknod(path, stat.S_IFCHR | mode, os.makedev(1, 2)),
        "socket": lambda: mksock(path),
        "symlink": lambda: os.symlink("test", path),
    }[kind]()


def remove(kind, path):
    os.rmdir(path) if kind == "dir" else os.unlink(path)


class Timespec(ctypes.Structure):
    _fields_ = [("sec", ctypes.c_long), ("nsec", ctypes.c_long)]


def utimensat(path, atime, mtime, flags=0):
    times = (Timespec * 2)(Timespec(*atime), Timespec(*mtime))
    return result(libc.utimensat(AT_FDCWD, os.fsencode(path), times, flags))


def renameat2(old, new, flags):
    return result(libc.renameat2(AT_FDCWD, os.fsencode(old), AT_FDCWD, os.fsencode(new), flags))


def link_open(file, path):
    """Gives an open file a name."""
    return result(libc.linkat(AT_FDCWD, b"/proc/self/fd/%d" % file, AT_FDCWD, os.fsencode(path), 0x400))


def lchown(path, uid, gid):
    os.chown(path, uid, gid, follow_symlinks=False)


def ftruncate(path, size):
    file = os.open(path, os.O_RDWR)
    try:
        os.ftruncate(file, size)
    finally:
        os.close(file)


def posix_fallocate(path, offset, length, flags=os.O_RDWR):
    file = os.open(path, flags)
    try:
        os.posix_fallocate(file, offset, length)
    finally:
        os.close(file)


def write(path, data=b"x"):
    file = os.open(path, os.O_WRONLY)
    try:
        os.write(file, data)
    finally:
        os.close(file)


def read(path):
    file = os.open(path, os.O_RDONLY)
    try:
        return os.read(file, 1 << 20)
    finally:
        os.close(file)


# ---- words for what tests say most

def mode_of(path):
    return stat.S_IMODE(os.lstat(path).st_mode)


def ctime(path):
    return os.lstat(path).st_ctime_ns


def mtime(path):
    return os.lstat(path).st_mtime_ns


def later():
    time.sleep(0.012)   # longer than the disk's clock takes to move


def changes_ctime(path, call, *args, **kw):
    before = ctime(path)
    later()
    call(*args, **kw)
    check(ctime(path) > before, "ctime of", path, "moves with", call.__name__, args)


def keeps_ctime(path, call, *args, **kw):
    before = ctime(path)
    later()
    call(*args, **kw)
    check(ctime(path) == before, "ctime of", path, "stays with", call.__name__, args)


def changes_directory(path, call, *args, **kw):
    before = os.lstat(path)
    later()
    call(*args, **kw)
    check(mtime(path) > before.st_mtime_ns, "mtime of", path, "moves with", call.__name__, args)
    check(ctime(path) > before.st_ctime_ns, "ctime of", path, "moves with", call.__name__, args)


def keeps_directory(path, call, *args, **kw):
    before = os.lstat(path)
    later()
    call(*args, **kw)
    check(mtime(path) == before.st_mtime_ns, "mtime of", path, "stays with", call.__name__, args)
    check(ctime(path) == before.st_ctime_ns, "ctime of", path, "stays with", call.__name__, args)


def directory(mode=0o755, uid=0, gid=0):
    path = name()
    os.mkdir(path, 0o755)
    os.chown(path, uid, gid)
    os.chmod(path, mode)
    return path


LONG = "x" * NAME_MAX
TOO_LONG = "x" * (NAME_MAX + 1)


def longest_path():
    """The longest path there may be, its directory made; the last name is free."""
    top = name()
    parts = [top]
    while PATH_MAX - 2 - len("/".join(parts)) > NAME_MAX:
        parts.append("d" * 200)
    path = "/".join(parts)
    os.makedirs(path, exist_ok=True)
    return path + "/" + "z" * (PATH_MAX - 1 - len(path) - 1)


def usual_refusals(call, exists=True, on_name=lambda path: path):
    """What every call with a path refuses: `call` takes one, and needs it to exist or not."""
    for kind in ("regular", "fifo", "block", "char", "socket"):
        path = name()
        make(kind, path)
        expect("ENOTDIR", call, path + "/x")
        remove(kind, path)
    d = directory()
    expect("ENAMETOOLONG", call, d + "/" + TOO_LONG)
    path = longest_path()
    expect("ENAMETOOLONG", call, path + "z")
    if exists:
        create(path)
        expect(0, call, path)
        expect("ENOENT", call, d + "/none")
    else:
        expect(0, call, path)
    expect("ENOENT", call, d + "/none/x")
    loop, back = name(), name()
    os.symlink(loop, back)
    os.symlink(back, loop)
    expect("ELOOP", call, loop + "/x")
    expect("ELOOP", call, back + "/x")
    if exists:
        create(d + "/" + LONG)
    expect(0, call, d + "/" + LONG)


def needs_search(call, prepare=lambda path: create(path)):
    """A directory that may not be searched hides what is in it."""
    top = directory()
    inner = top + "/inner"
    os.mkdir(inner)
    os.chown(inner, 65534, 65534)
    path = inner + "/x"
    prepare(path)
    if os.path.lexists(path):
        lchown(path, 65534, 65534)
    os.chmod(inner, 0o644)
    expect_as(65534, 65534, "EACCES", call, path)
    os.chmod(inner, 0o755)
    expect_as(65534, 65534, 0, call, path)


def needs_write(call, prepare=lambda path: None):
    """What changes a directory needs the right to write it."""
    d = directory(0o755, 65534, 65534)
    path = d + "/x"
    prepare(path)
    if os.path.lexists(path):
        lchown(path, 65534, 65534)
    os.chmod(d, 0o555)
    expect_as(65534, 65534, "EACCES", call, path)
    os.chmod(d, 0o755)
    expect_as(65534, 65534, 0, call, path)


# ---- chmod

def chmod_changes_modes():
    for kind in ("regular", "dir", "fifo", "block", "char", "socket"):
        path = name()
        make(kind, path, 0o644)
        os.chmod(path, 0o111)
        check(mode_of(path) == 0o111, kind)
        link = name()
        os.symlink(path, link)
        os.chmod(link, 0o222)
        check(mode_of(path) == 0o222 and mode_of(link) == 0o777, kind, "through a link")
        os.unlink(link)
        changes_ctime(path, os.chmod, path, 0o400)
        remove(kind, path)


def chmod_refuses():
    usual_refusals(lambda path: os.chmod(path, 0o600))
    needs_search(lambda path: os.chmod(path, 0o600))
    for kind in ("regular", "dir", "fifo", "block", "char", "socket"):
        path = name()
        make(kind, path, 0o644)
        os.chown(path, 65534, 65534)
        expect_as(65534, 65534, 0, os.chmod, path, 0o600)
        before = ctime(path)
        later()
        expect_as(65533, 65533, "EPERM", os.chmod, path, 0o642)
        expect_as(65533, 65534, "EPERM", os.chmod, path, 0o642)
        check(mode_of(path) == 0o600 and ctime(path) == before, "a refusal changes nothing")
        remove(kind, path)
    loop = name()
    os.symlink(loop, loop)
    expect("ELOOP", os.chmod, loop, 0o600)


def chmod_by_a_stranger_to_the_group_clears_set_group_id():
    path = name()
    create(path, 0o755)
    os.chown(path, 65535, 65535)
    expect_as(65535, 65535, 0, os.chmod, path, 0o2755)
    check(mode_of(path) == 0o2755, "a member keeps it", oct(mode_of(path)))
    os.chmod(path, 0o755)
    expect_as(65535, 65534, 0, os.chmod, path, 0o2755)
    check(mode_of(path) == 0o755, "a stranger loses it", oct(mode_of(path)))


def sticky_files():
    for kind in ("regular", "fifo"):
        path = name()
        make(kind, path, 0o640)
        os.chown(path, 65534, 65534)
        os.chmod(path, 0o1644)
        check(mode_of(path) == 0o1644)
        expect_as(65534, 65534, 0, os.chmod, path, 0o1640)
        remove(kind, path)
    d = directory(0o755, 65534, 65534)
    expect_as(65534, 65534, 0, os.chmod, d, 0o1755)
    check(mode_of(d) == 0o1755)


def writing_clears_set_id():
    for change in (write, lambda path: ftruncate(path, 0), lambda path: os.truncate(path, 0), lambda path: posix_fallocate(path, 0, 10)):
        for mode, left in ((0o4777, 0o777), (0o2777, 0o777), (0o6777, 0o777)):
            path = name()
            create(path)
            os.chmod(path, mode)
            expect_as(65534, 65534, 0, change, path)
            check(mode_of(path) == left, "mode", oct(mode), "becomes", oct(mode_of(path)))
            os.chmod(path, mode)
            change(path)
            check(mode_of(path) == mode, "root keeps", oct(mode), "has", oct(mode_of(path)))


def truncating_open_clears_set_id():
    path = name()
    create(path)
    os.chmod(path, 0o6777)
    expect_as(65534, 65534, 0, open_close, path, os.O_WRONLY | os.O_TRUNC)
    check(mode_of(path) == 0o777, oct(mode_of(path)))


# ---- chown

def chown_changes_owners():
    for kind in TYPES:
        path = name()
        make(kind, path)
        lchown(path, 123, 456)
        found = os.lstat(path)
        check((found.st_uid, found.st_gid) == (123, 456), kind)
        lchown(path, -1, 7)
        lchown(path, 8, -1)
        found = os.lstat(path)
        check((found.st_uid, found.st_gid) == (8, 7), kind)
        changes_ctime(path, lchown, path, 9, 9)
        if kind != "symlink":
            link = name()
            os.symlink(path, link)
            os.chown(link, 55, 66)
            check((os.lstat(path).st_uid, os.lstat(link).st_uid) == (55, 0), "through a link")
            lchown(link, 77, 88)
            check((os.lstat(path).st_uid, os.lstat(link).st_uid) == (55, 77), "the link itself")
            os.unlink(link)
        remove(kind, path)


def chown_by_the_owner():
    for kind in TYPES:
        path = name()
        make(kind, path)
        lchown(path, 65534, 65533)
        expect_as(65534, [65532, 65531], 0, lchown, path, -1, 65532)
        check(os.lstat(path).st_gid == 65532)
        expect_as(65534, [65532, 65531], 0, lchown, path, 65534, 65531)
        check(os.lstat(path).st_gid == 65531)
        expect_as(65534, [65532, 65531], "EPERM", lchown, path, -1, 65530)
        expect_as(65534, [65532, 65531], "EPERM", lchown, path, 65533, -1)
        expect_as(65533, [65532, 65531], "EPERM", lchown, path, -1, 65532)
        expect_as(65533, [65532, 65531], "EPERM", lchown, path, 65533, 65532)
        check(os.lstat(path).st_gid == 65531 and os.lstat(path).st_uid == 65534)
        remove(kind, path)


def chown_clears_set_id():
    for who in ("root", "owner"):
        for mode, left in ((0o6555, 0o555), (0o4555, 0o555), (0o2555, 0o555)):
            path = name()
            create(path)
            os.chown(path, 65534, 65533)
            os.chmod(path, mode)
            if who == "root":
                os.chown(path, 65533, 65532)
            else:
                expect_as(65534, [65533, 65532], 0, os.chown, path, 65534, 65532)
            check(mode_of(path) == left, who, oct(mode), "becomes", oct(mode_of(path)))
    d = directory(0o6755)
    os.chown(d, 65534, 65534)
    check(mode_of(d) == 0o6755, "directories keep the bits", oct(mode_of(d)))


def chown_refuses():
    usual_refusals(lambda path: os.chown(path, 0, 0))
    needs_search(lambda path: os.chown(path, 65534, 65534))
    path = name()
    create(path)
    before = ctime(path)
    later()
    expect_as(65534, 65534, "EPERM", os.chown, path, 65534, 65534)
    check(ctime(path) == before, "a refusal changes nothing")


# ---- link

def link_makes_names():
    for kind in ("regular", "fifo", "block", "char", "socket", "symlink"):
        path, second, third = name(), name(), name()
        make(kind, path)
        check(os.lstat(path).st_nlink == 1)
        os.link(path, second, follow_symlinks=False)
        check(os.lstat(path).st_nlink == 2 and os.lstat(path).st_ino == os.lstat(second).st_ino)
        changes_ctime(path, os.link, second, third, follow_symlinks=False)
        check(os.lstat(third).st_nlink == 3)
        if kind != "symlink":
            os.chmod(third, 0o751)
            os.chown(second, 65534, 65533)
            check(mode_of(path) == 0o751 and os.lstat(third).st_gid == 65533)
        changes_ctime(second, os.unlink, path)
        check(os.lstat(second).st_nlink == 2 and run(os.lstat, path) == "ENOENT")
        os.unlink(second)
        check(os.lstat(third).st_nlink == 1)
        os.unlink(third)
    d = directory()
    create(d + "/a")
    changes_directory(d, os.link, d + "/a", d + "/b")


def link_refuses():
    source = name()
    create(source)
    usual_refusals(lambda path: os.link(source, path), exists=False)
    usual_refusals(lambda path: os.link(path, name()))
    os.chmod(source, 0o666)
    needs_search(lambda path: os.link(path, path + "2"))
    needs_write(lambda path: os.link(path, path + "2"), create)
    expect("ENOENT", os.link, name(), name())
    for kind in TYPES:
        path = name()
        make(kind, path)
        expect("EEXIST", os.link, source, path)
        remove(kind, path)
    d = directory()
    expect("EPERM", os.link, d, name())
    expect("EXDEV", os.link, source, other + "/" + name())
    before = ctime(source)
    later()
    expect("EEXIST", os.link, source, d)
    check(ctime(source) == before, "a refusal changes nothing")


# ---- mkdir, mkfifo, mknod: what makes files

def makes(call, kind):
    for mode, umask, left in ((0o755, 0, 0o755), (0o151, 0, 0o151), (0o151, 0o077, 0o100), (0o345, 0o70, 0o305), (0o345, 0o501, 0o244)):
        path = name()
        before = os.umask(umask)
        call(path, mode)
        os.umask(before)
        check(mode_of(path) == left and stat.S_IFMT(os.lstat(path).st_mode) == kind, oct(mode), oct(umask), oct(mode_of(path)))
    d = directory(0o777)
    expect_as(65535, 65535, 0, call, d + "/a", 0o755)
    check((os.lstat(d + "/a").st_uid, os.lstat(d + "/a").st_gid) == (65535, 65535))
    expect_as(65535, 65534, 0, call, d + "/b", 0o755)
    check((os.lstat(d + "/b").st_uid, os.lstat(d + "/b").st_gid) == (65535, 65534))
    os.chown(d, 65533, 65532)
    os.chmod(d, 0o2777)
    expect_as(65535, 65534, 0, call, d + "/c", 0o755)
    check(os.lstat(d + "/c").st_gid == 65532, "the group of a set-group-id directory")
    if kind == stat.S_IFDIR:
        check(mode_of(d + "/c") == 0o2755, "and the bit")
    path = d + "/d"
    changes_directory(d, call, path, 0o755)
    made = os.lstat(path)
    # A file system may read its clock once for what it makes and again for the directory: a tick may lie between them.
    check(abs(made.st_ctime_ns - os.lstat(d).st_ctime_ns) < 1_000_000_000, "made when its directory changed")
    check(made.st_mtime_ns == made.st_ctime_ns == made.st_atime_ns)


def making_refuses(call):
    usual_refusals(lambda path: call(path, 0o755), exists=False)
    needs_search(lambda path: call(path, 0o755), lambda path: None)
    needs_write(lambda path: call(path, 0o755))
    for kind in TYPES:
        path = name()
        make(kind, path)
        expect("EEXIST", call, path, 0o755)
        remove(kind, path)


def mkdir_makes():
    makes(os.mkdir, stat.S_IFDIR)
    d = directory()
    check(os.lstat(d).st_nlink == 2)
    os.mkdir(d + "/x")
    check(os.lstat(d).st_nlink == 3)
    os.rmdir(d + "/x")
    check(os.lstat(d).st_nlink == 2)


def mkdir_refuses():
    making_refuses(os.mkdir)
    d = directory()
    expect("EEXIST", os.mkdir, ".")
    expect("EEXIST", os.mkdir, "..")
    expect("EEXIST", os.mkdir, d + "/")
    expect(0, os.mkdir, d + "/new/")


def mkfifo_makes():
    makes(os.mkfifo, stat.S_IFIFO)
    path = name()
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    writer = os.open(path, os.O_WRONLY)
    os.write(writer, b"hello")
    check(os.read(reader, 100) == b"hello")
    os.close(reader)
    os.close(writer)


def mkfifo_refuses():
    making_refuses(os.mkfifo)


def mknod_makes():
    makes(lambda path, mode: os.mknod(path, stat.S_IFIFO | mode), stat.S_IFIFO)
    makes(lambda path, mode: os.mknod(path, stat.S_IFREG | mode), stat.S_IFREG)
    for kind in (stat.S_IFBLK, stat.S_IFCHR):
        for major, minor in ((1, 2), (255, 255), (259, 70000)):
            path = name()
            os.mknod(path, kind | 0o640, os.makedev(major, minor))
            found = os.lstat(path)
            check(stat.S_IFMT(found.st_mode) == kind and (os.major(found.st_rdev), os.minor(found.st_rdev)) == (major, minor))


def mknod_refuses():
    making_refuses(lambda path, mode: os.mknod(path, stat.S_IFIFO | mode))
    d = directory(0o777)
    for kind in (stat.S_IFBLK, stat.S_IFCHR):
        expect_as(65534, 65534, "EPERM", os.mknod, d + "/x", kind | 0o600, os.makedev(1, 2))
    expect_as(65534, 65534, 0, os.mknod, d + "/x", stat.S_IFIFO | 0o600)


# ---- open

def open_creates():
    makes(create, stat.S_IFREG)
    making = lambda path, mode: open_close(path, os.O_CREAT | os.O_WRONLY, mode)
    usual_refusals(lambda path: making(path, 0o644), exists=False)
    needs_search(lambda path: making(path, 0o644), lambda path: None)
    needs_write(lambda path: making(path, 0o644))
    d = directory()
    create(d + "/x")
    keeps_directory(d, open_close, d + "/x", os.O_CREAT | os.O_RDONLY)
    keeps_ctime(d + "/x", open_close, d + "/x", os.O_CREAT | os.O_WRONLY)


def open_truncates():
    path = name()
    create(path)
    write(path, b"hello")
    before = os.lstat(path)
    later()
    open_close(path, os.O_WRONLY | os.O_TRUNC)
    after = os.lstat(path)
    check(after.st_size == 0 and after.st_mtime_ns > before.st_mtime_ns and after.st_ctime_ns > before.st_ctime_ns)
    before = after
    later()
    open_close(path, os.O_RDWR | os.O_TRUNC)
    check(os.lstat(path).st_mtime_ns > before.st_mtime_ns, "also when it is empty")


def open_checks_permissions():
    path = name()
    create(path)
    os.chown(path, 65534, 65533)
    users = ((6, 65534, 65532), (3, 65532, 65533), (0, 65532, 65532))
    for shift, uid, gid in users:
        for bits in range(8):
            os.chmod(path, bits << shift)
            for flags, needs in ((os.O_RDONLY, 4), (os.O_WRONLY, 2), (os.O_RDWR, 6), (os.O_RDONLY | os.O_TRUNC, 6), (os.O_WRONLY | os.O_APPEND, 2)):
                expect_as(uid, gid, 0 if bits & needs == needs else "EACCES", open_close, path, flags)
    os.chmod(path, 0o077)
    expect_as(65534, 65533, "EACCES", open_close, path, os.O_RDONLY)   # the owner's bits count for the owner
    os.chmod(path, 0o707)
    expect_as(65532, [65530, 65533], "EACCES", open_close, path, os.O_RDONLY)   # also in the second group
    d = directory()
    os.chown(d, 65534, 65533)
    for shift, uid, gid in users:
        for bits in range(8):
            os.chmod(d, bits << shift)
            expect_as(uid, gid, 0 if bits & 4 else "EACCES", os.listdir, d)
            expect_as(uid, gid, 0 if bits & 3 == 3 else "EACCES", open_close, d + "/new", os.O_CREAT | os.O_WRONLY)
            expect_as(uid, gid, 0 if bits & 1 else "EACCES", os.stat, d + "/..")
            if os.path.exists(d + "/new"):
                os.unlink(d + "/new")


def open_refuses():
    usual_refusals(lambda path: open_close(path, os.O_RDONLY))
    needs_search(lambda path: open_close(path, os.O_RDONLY))
    d = directory()
    for flags in (os.O_WRONLY, os.O_RDWR, os.O_RDONLY | os.O_TRUNC, os.O_WRONLY | os.O_CREAT, os.O_RDONLY | os.O_CREAT):
        expect("EISDIR", open_close, d, flags)
    expect("EEXIST", open_close, d, os.O_CREAT | os.O_EXCL | os.O_RDONLY)
    for kind in TYPES:
        path = name()
        make(kind, path)
        expect("EEXIST", open_close, path, os.O_CREAT | os.O_EXCL | os.O_WRONLY)
        remove(kind, path)
    link = name()
    os.symlink(d, link)
    expect("ELOOP", open_close, link, os.O_RDONLY | os.O_NOFOLLOW)
    expect("ENOTDIR", open_close, link, os.O_RDONLY | os.O_NOFOLLOW | os.O_DIRECTORY)
    loop = name()
    os.symlink(loop, loop)
    expect("ELOOP", open_close, loop, os.O_RDONLY)
    expect("ELOOP", open_close, loop, os.O_RDWR | os.O_CREAT)
    path = name()
    create(path)
    expect("ENOTDIR", open_close, path, os.O_RDONLY | os.O_DIRECTORY)
    expect("ENOTDIR", open_close, path + "/", os.O_RDONLY)
    expect("EISDIR", open_close, name() + "/", os.O_RDONLY | os.O_CREAT)
    fifo = name()
    os.mkfifo(fifo)
    expect("ENXIO", open_close, fifo, os.O_WRONLY | os.O_NONBLOCK)
    sock = name()
    mksock(sock)
    expect("ENXIO", open_close, sock, os.O_RDONLY)
    dangling = name()
    os.symlink(name(), dangling)
    expect("ENOENT", open_close, dangling, os.O_RDONLY)
    expect(0, open_close, dangling, os.O_RDWR | os.O_CREAT)
    check(os.path.isfile(dangling), "made where the link leads")


def temporary_files():
    d = directory(0o2755, 0, 4242)
    file = os.open(d, os.O_TMPFILE | os.O_RDWR, 0o640)
    os.write(file, b"hello")
    check(os.fstat(file).st_nlink == 0 and os.listdir(d) == [], "has no name")
    check(os.fstat(file).st_gid == 4242, "the group of its directory")
    link_open(file, d + "/named")
    check(os.fstat(file).st_nlink == 1 and read(d + "/named") == b"hello")
    os.close(file)
    file = os.open(d, os.O_TMPFILE | os.O_RDWR | os.O_EXCL, 0o640)
    expect("ENOENT", link_open, file, d + "/second")
    os.close(file)


# ---- rename

def rename_moves():
    for kind in TYPES:
        a, b = directory(), directory()
        make(kind, a + "/x")
        before = os.lstat(a + "/x")
        changes_directory(a, os.rename, a + "/x", a + "/y")
        changes_directory(a, os.rename, a + "/y", b + "/z")
        changes_directory(b, os.rename, b + "/z", a + "/z")
        after = os.lstat(a + "/z")
        check(before.st_ino == after.st_ino and before.st_mode == after.st_mode and before.st_nlink == after.st_nlink)
        check(run(os.lstat, a + "/x") == run(os.lstat, a + "/y") == run(os.lstat, b + "/z") == "ENOENT")
        changes_ctime(a + "/z", lambda: (os.rename(a + "/z", a + "/q"), os.rename(a + "/q", a + "/z")))
        check(os.lstat(a).st_nlink == (3 if kind == "dir" else 2) and os.lstat(b).st_nlink == 2, kind, "links of the directories")


def rename_replaces():
    for kind in ("regular", "fifo", "block", "char", "socket", "symlink"):
        for target in ("regular", "fifo", "block", "char", "socket", "symlink"):
            x, y, z = name(), name(), name()
            make(kind, x)
            make(target, y)
            os.link(y, z, follow_symlinks=False)
            ino, old = os.lstat(x).st_ino, os.lstat(z).st_ino
            changes_ctime(z, os.rename, x, y)
            check(os.lstat(y).st_ino == ino and os.lstat(z).st_ino == old and os.lstat(z).st_nlink == 1)
            check(run(os.lstat, x) == "ENOENT")
            os.unlink(y)
            os.unlink(z)
    a, b = directory(), directory()
    os.mkdir(a + "/d")
    os.mkdir(b + "/e")
    os.rename(a + "/d", b + "/e")
    check(os.lstat(a).st_nlink == 2 and os.lstat(b).st_nlink == 3, "links of the directories")
    x, y = name(), name()
    create(x)
    os.link(x, y)
    os.rename(x, y)
    check(os.path.exists(x) and os.path.exists(y), "two names of one file stay")
    file = os.open(y, os.O_RDONLY)
    create("new" + y)
    os.rename("new" + y, y)
    check(os.fstat(file).st_nlink == 1, "the other name still counts")
    os.rename("new" + y, y) if os.path.exists("new" + y) else None
    os.close(file)


def rename_refuses():
    target = lambda path: os.rename(prepared(), path)

    def prepared():
        path = name()
        create(path)
        return path

    usual_refusals(target, exists=False)
    usual_refusals(lambda path: os.rename(path, name()))
    needs_search(lambda path: os.rename(path, path + "2"))
    needs_write(lambda path: os.rename(path, path + "2"), create)
    expect("ENOENT", os.rename, name(), name())
    d, e = directory(), directory()
    for kind in ("regular", "fifo", "block", "char", "socket", "symlink"):
        path = name()
        make(kind, path)
        expect("ENOTDIR", os.rename, d, path)
        expect("EISDIR", os.rename, path, d)
        make(kind, d + "/x")
        expect("ENOTEMPTY", os.rename, e, d)
        remove(kind, d + "/x")
        remove(kind, path)
    os.mkdir(d + "/in")
    expect("EINVAL", os.rename, d, d + "/in")
    expect("EINVAL", os.rename, d, d + "/in/deep")
    expect("ENOTEMPTY", os.rename, e, d)
    expect("ENOTEMPTY", os.rename, d + "/in", d)
    for dots in (d + "/.", d + "/.."):
        expect("EBUSY", os.rename, dots, name())
        expect("EBUSY", os.rename, e, dots)
    expect("EXDEV", os.rename, prepared(), other + "/" + name())
    expect("ENOTDIR", os.rename, prepared() + "/", name())
    expect("ENOTDIR", os.rename, prepared(), name() + "/")
    expect(0, os.rename, d + "/", name() + "/")


def rename_flags():
    x, y, d = name(), name(), directory()
    create(x)
    create(y)
    expect("EEXIST", renameat2, x, y, 1)
    expect("EEXIST", renameat2, x, x, 1)
    expect(0, renameat2, x, d + "/new", 1)
    expect("ENOENT", renameat2, x, y, 2)
    expect("ENOENT", renameat2, y, x, 2)
    os.mkdir(d + "/sub")
    inos = os.lstat(y).st_ino, os.lstat(d + "/sub").st_ino
    top = os.lstat(".").st_nlink
    expect(0, renameat2, y, d + "/sub", 2)
    check((os.lstat(d + "/sub").st_ino, os.lstat(y).st_ino) == inos)
    check(os.lstat(d).st_nlink == 2 and os.lstat(".").st_nlink == top + 1)
    expect("EINVAL", renameat2, d, d + "/sub", 3)
    expect("EINVAL", renameat2, x, y, 64)


def moving_a_directory_needs_to_write_it():
    a, b = directory(0o777), directory(0o777)
    os.mkdir(a + "/d")
    os.chown(a + "/d", 65534, 65534)
    os.chmod(a + "/d", 0o555)
    expect_as(65534, 65534, 0, os.rename, a + "/d", a + "/e")
    expect_as(65534, 65534, "EACCES", os.rename, a + "/e", b + "/e")
    os.chmod(a + "/e", 0o755)
    expect_as(65534, 65534, 0, os.rename, a + "/e", b + "/e")


# ---- the sticky bit

def sticky(call, kinds, prepare):
    """In a sticky directory only the owner of the directory or of the file, or root, removes and renames."""
    for kind in kinds:
        for directory_owner, file_owner in ((65534, 65534), (65534, 65533), (65533, 65534), (65533, 65533)):
            d = directory(0o1777, directory_owner, 65534)
            make(kind, d + "/x")
            lchown(d + "/x", file_owner, 65534)
            allowed = 65534 in (directory_owner, file_owner)
            expect_as(65534, 65534, 0 if allowed else "EPERM", call, d)
            make(kind, d + "/r") if not os.path.lexists(d + "/r") else None
            prepare(d, kind)
    d = directory(0o777, 65533, 65533)
    make(kinds[0], d + "/x")
    expect_as(65534, 65534, 0, call, d)


def sticky_unlink():
    sticky(lambda d: os.unlink(d + "/x"), ("regular", "fifo", "symlink", "socket"), lambda d, kind: None)


def sticky_rmdir():
    sticky(lambda d: os.rmdir(d + "/x"), ("dir",), lambda d, kind: None)


def sticky_rename_from():
    sticky(lambda d: os.rename(d + "/x", d + "/y"), ("regular", "fifo", "symlink"), lambda d, kind: None)


def sticky_rename_over():
    for directory_owner, file_owner in ((65534, 65534), (65534, 65533), (65533, 65534), (65533, 65533)):
        for kind in ("regular", "dir", "fifo"):
            a, d = directory(0o777, 65534, 65534), directory(0o1777, directory_owner, 65534)
            make(kind, a + "/x")
            os.chown(a + "/x", 65534, 65534)
            make(kind, d + "/x")
            lchown(d + "/x", file_owner, 65534)
            allowed = 65534 in (directory_owner, file_owner)
            expect_as(65534, 65534, 0 if allowed else "EPERM", os.rename, a + "/x", d + "/x")


# ---- rmdir and unlink

def rmdir_removes():
    d = directory()
    os.mkdir(d + "/x")
    changes_directory(d, os.rmdir, d + "/x")
    check(run(os.lstat, d + "/x") == "ENOENT")
    os.mkdir(d + "/y")
    os.rmdir(d + "/y/")
    check(os.listdir(d) == [])


def rmdir_refuses():
    for kind in ("regular", "fifo", "block", "char", "socket", "symlink"):
        path = name()
        make(kind, path)
        expect("ENOTDIR", os.rmdir, path)
        expect("ENOTDIR", os.rmdir, path + "/x") if kind != "symlink" else None
        remove(kind, path)
    d = directory()
    for kind in TYPES:
        make(kind, d + "/x")
        expect("ENOTEMPTY", os.rmdir, d)
        remove(kind, d + "/x")
    expect("ENAMETOOLONG", os.rmdir, d + "/" + TOO_LONG)
    expect("ENAMETOOLONG", os.rmdir, longest_path() + "z")
    expect("ENOENT", os.rmdir, d + "/none")
    expect("EINVAL", os.rmdir, d + "/.")
    os.mkdir(d + "/in")
    expect("ENOTEMPTY", os.rmdir, d + "/in/..")
    os.rmdir(d + "/in")
    needs_search(os.rmdir, os.mkdir)
    needs_write(os.rmdir, os.mkdir)
    loop = name()
    os.symlink(loop, loop)
    expect("ELOOP", os.rmdir, loop + "/x")
    expect("ENOTDIR", os.rmdir, loop)
    before = mtime(".")
    later()
    make("regular", d + "/x")
    expect("ENOTEMPTY", os.rmdir, d)
    check(mtime(".") == before, "a refusal changes nothing")


def unlink_removes():
    for kind in ("regular", "fifo", "block", "char", "socket", "symlink"):
        d = directory()
        make(kind, d + "/x")
        changes_directory(d, os.unlink, d + "/x")
        check(run(os.lstat, d + "/x") == "ENOENT")


def unlink_refuses():
    usual_refusals(os.unlink)
    needs_search(os.unlink)
    needs_write(os.unlink, create)
    expect("EISDIR", os.unlink, directory())
    expect("ENOTDIR", os.unlink, (lambda p: (create(p), p + "/")[1])(name()))


def unlinked_files_live_while_open():
    path = name()
    create(path)
    file = os.open(path, os.O_RDWR)
    os.write(file, b"hello")
    os.unlink(path)
    check(os.fstat(file).st_nlink == 0 and os.fstat(file).st_size == 5)
    os.pwrite(file, b"HELLO there", 0)
    check(os.pread(file, 100, 0) == b"HELLO there")
    os.ftruncate(file, 3)
    os.fchmod(file, 0o600)
    check(os.fstat(file).st_size == 3 and os.pread(file, 100, 0) == b"HEL")
    create(path)
    write(path, b"other")
    check(os.pread(file, 100, 0) == b"HEL" and read(path) == b"other")
    expect("ENOENT", link_open, file, name())
    os.close(file)


# ---- symlink

def symlink_makes():
    d = directory()
    changes_directory(d, os.symlink, "somewhere/else", d + "/l")
    check(os.readlink(d + "/l") == "somewhere/else" and os.lstat(d + "/l").st_size == 14)
    check(stat.S_ISLNK(os.lstat(d + "/l").st_mode))
    create(d + "/somewhere")
    os.symlink("somewhere", d + "/m")
    check(os.stat(d + "/m").st_ino == os.lstat(d + "/somewhere").st_ino)
    os.unlink(d + "/m")
    check(os.path.exists(d + "/somewhere"))
    longest = "t" * (PATH_MAX - 1)
    os.symlink(longest, d + "/long")
    check(os.readlink(d + "/long") == longest)
    expect("ENAMETOOLONG", os.symlink, "t" * PATH_MAX, d + "/longer")
    expect("ENOENT", os.symlink, "", d + "/empty")


def symlink_refuses():
    usual_refusals(lambda path: os.symlink("x", path), exists=False)
    needs_search(lambda path: os.symlink("x", path), lambda path: None)
    needs_write(lambda path: os.symlink("x", path))
    for kind in TYPES:
        path = name()
        make(kind, path)
        expect("EEXIST", os.symlink, "x", path)
        remove(kind, path)
    path = name()
    create(path)
    expect("EINVAL", os.readlink, path)
    chain = [name() for _ in range(42)]
    create(chain[0])
    for before, after in zip(chain, chain[1:]):
        os.symlink(before, after)
    expect(0, os.stat, chain[40])
    expect("ELOOP", os.stat, chain[41])


# ---- truncate, ftruncate, fallocate

def truncate_changes_sizes():
    for call in (os.truncate, ftruncate):
        path = name()
        create(path)
        for size in (1234567, 567, 0, 10_000_000_000, 5):
            call(path, size)
            check(os.lstat(path).st_size == size)
        write(path, b"hello")
        call(path, 3)
        call(path, 6)
        check(read(path) == b"hel\0\0\0")
        before = os.lstat(path)
        later()
        call(path, 4)
        after = os.lstat(path)
        check(after.st_ctime_ns > before.st_ctime_ns and after.st_mtime_ns > before.st_mtime_ns)
        os.chmod(path, 0o644)
        before = ctime(path)
        later()
        expect_as(65534, 65534, "EACCES", call, path, 9)
        check(ctime(path) == before and os.lstat(path).st_size == 4, "a refusal changes nothing")


def truncate_refuses():
    usual_refusals(lambda path: os.truncate(path, 5))
    needs_search(lambda path: os.truncate(path, 5))
    expect("EISDIR", os.truncate, directory(), 5)
    path = name()
    create(path)
    for call in (os.truncate, ftruncate):
        expect("EINVAL", call, path, -1)
        check(run(call, path, (1 << 63) - 1) in ("EFBIG", "EINVAL"))
    file = os.open(path, os.O_RDONLY)
    expect("EINVAL", os.ftruncate, file, 5)
    os.close(file)
    loop = name()
    os.symlink(loop, loop)
    expect("ELOOP", os.truncate, loop, 5)
    fifo = name()
    os.mkfifo(fifo)
    expect("EINVAL", os.truncate, fifo, 5)


def fallocate_reserves():
    path = name()
    create(path)
    posix_fallocate(path, 0, 567)
    check(os.lstat(path).st_size == 567)
    posix_fallocate(path, 20000, 3456)
    check(os.lstat(path).st_size == 23456)
    before = ctime(path)
    later()
    posix_fallocate(path, 23000, 1000)
    check(os.lstat(path).st_size == 24000 and ctime(path) > before)
    posix_fallocate(path, 0, 1)
    check(os.lstat(path).st_size == 24000, "never smaller")
    check(read(path) == b"\0" * 24000)
    expect("EINVAL", posix_fallocate, path, 0, 0)
    expect("EINVAL", posix_fallocate, path, -1, 5)
    expect("EINVAL", posix_fallocate, path, 0, -5)
    expect("EFBIG", posix_fallocate, path, (1 << 63) - 10, 100)
    expect("EBADF", posix_fallocate, path, 0, 5, os.O_RDONLY)


# ---- times

def utimensat_sets():
    for kind in TYPES:
        path = name()
        make(kind, path)
        nofollow = NOFOLLOW if kind == "symlink" else 0
        utimensat(path, (1900000000, 123456789), (1950000000, 987654321), nofollow)
        found = os.lstat(path)
        check((found.st_atime_ns, found.st_mtime_ns) == (1900000000123456789, 1950000000987654321), kind)
        utimensat(path, (1, UTIME_OMIT), (5, 6), nofollow)
        check((os.lstat(path).st_atime_ns, os.lstat(path).st_mtime_ns) == (1900000000123456789, 5000000006))
        utimensat(path, (7, 8), (1, UTIME_OMIT), nofollow)
        check((os.lstat(path).st_atime_ns, os.lstat(path).st_mtime_ns) == (7000000008, 5000000006))
        now = time.time_ns()
        utimensat(path, (1, UTIME_NOW), (5, UTIME_NOW), nofollow)
        found = os.lstat(path)
        check(abs(found.st_atime_ns - now) < 5e9 and abs(found.st_mtime_ns - now) < 5e9)
        changes_ctime(path, utimensat, path, (1, 2), (3, 4), nofollow)
        for seconds in (-1, -1000000, 1 << 31, (1 << 32) + 5):
            utimensat(path, (seconds, 5), (seconds, 7), nofollow)
            check((os.lstat(path).st_atime_ns, os.lstat(path).st_mtime_ns) == (seconds * 10**9 + 5, seconds * 10**9 + 7), seconds)
        remove(kind, path)
    target, link = name(), name()
    create(target)
    os.symlink(target, link)
    utimensat(link, (11, 12), (13, 14))
    utimensat(link, (21, 22), (23, 24), NOFOLLOW)
    check(os.lstat(target).st_mtime_ns == 13000000014 and os.lstat(link).st_mtime_ns == 23000000024)


def utimensat_checks_permissions():
    path = name()
    create(path)
    os.chown(path, 65534, 65534)
    now, some = (0, UTIME_NOW), (5, 6)
    os.chmod(path, 0o444)
    expect_as(65534, 65534, 0, utimensat, path, some, some)
    expect_as(65534, 65534, 0, utimensat, path, now, now)
    expect_as(65533, 65533, "EACCES", utimensat, path, now, now)
    expect_as(65533, 65533, "EPERM", utimensat, path, some, some)
    os.chmod(path, 0o666)
    expect_as(65533, 65533, 0, utimensat, path, now, now)
    expect_as(65533, 65533, "EPERM", utimensat, path, some, some)
    expect_as(65533, 65533, "EPERM", utimensat, path, now, some)
    expect_as(65533, 65533, "EPERM", utimensat, path, now, (0, UTIME_OMIT))
    expect_as(65533, 65533, 0, utimensat, path, (0, UTIME_OMIT), (0, UTIME_OMIT))


def utimensat_refuses():
    usual_refusals(lambda path: utimensat(path, (1, 2), (3, 4)))
    needs_search(lambda path: utimensat(path, (1, 2), (3, 4)))
    path = name()
    create(path)
    expect("EINVAL", utimensat, path, (1, 1000000000), (3, 4))


def writing_moves_times():
    path = name()
    create(path)
    before = os.lstat(path)
    later()
    write(path, b"x")
    after = os.lstat(path)
    check(after.st_mtime_ns > before.st_mtime_ns and after.st_ctime_ns > before.st_ctime_ns)
    keeps_ctime(path, read, path)
    file = os.open(path, os.O_RDWR)
    before = os.fstat(file)
    later()
    os.write(file, b"")
    check(os.fstat(file).st_mtime_ns == before.st_mtime_ns, "writing nothing")
    os.close(file)


# ---- other things programs rely on

def extended_attributes_of_users():
    path = name()
    create(path)
    os.chmod(path, 0o666)
    expect_as(65534, 65534, 0, os.setxattr, path, "user.a", b"1")
    expect_as(65534, 65534, "EPERM", os.setxattr, path, "trusted.a", b"1")
    expect_as(65534, 65534, "EPERM", os.setxattr, path, "security.a", b"1")
    expect(0, os.setxattr, path, "trusted.a", b"1")
    check("trusted.a" in os.listxattr(path), os.listxattr(path))
    os.chmod(path, 0o644)
    expect_as(65534, 65534, "EACCES", os.setxattr, path, "user.b", b"1")
    expect_as(65534, 65534, 0, os.getxattr, path, "user.a")
    os.chmod(path, 0o600)
    expect_as(65534, 65534, "EACCES", os.getxattr, path, "user.a")
    expect("ENODATA", os.getxattr, path, "user.none")
    fifo = name()
    os.mkfifo(fifo)
    expect("EPERM", os.setxattr, fifo, "user.a", b"1")


def appends_go_to_the_end():
    path = name()
    create(path)
    one, two = (os.open(path, os.O_WRONLY | os.O_APPEND) for _ in range(2))
    for i in range(10):
        os.write(one, b"1")
        os.write(two, b"22")
    os.close(one)
    os.close(two)
    check(read(path) == b"122" * 10)


def locks():
    import fcntl
    path = name()
    create(path, 0o666)
    file = os.open(path, os.O_RDWR)

    def try_lock(call, kind):
        mine = os.open(path, os.O_RDWR)
        call(mine, kind | fcntl.LOCK_NB)

    for call in (fcntl.flock, fcntl.lockf):
        call(file, fcntl.LOCK_EX)
        expect_as(0, 0, "EAGAIN", try_lock, call, fcntl.LOCK_EX)
        expect_as(0, 0, "EAGAIN", try_lock, call, fcntl.LOCK_SH)
        call(file, fcntl.LOCK_UN)
        expect_as(0, 0, 0, try_lock, call, fcntl.LOCK_EX)
    os.close(file)


def directories_list_what_is_there():
    d = directory()
    names = sorted(name() for _ in range(300))
    for each in names:
        create(d + "/" + each)
    with os.scandir(d) as entries:
        found = sorted(entry.name for entry in entries if entry.is_file(follow_symlinks=False))
    check(found == names)
    check(os.lstat(d + "/.").st_ino == os.lstat(d).st_ino and os.lstat(d + "/..").st_ino == os.lstat(".").st_ino)
    expect("ENOTDIR", os.listdir, d + "/" + names[0])


# ---- what goes beyond one call

def chown_of_every_kind_clears_set_id():
    for kind in ("regular", "fifo", "block", "char", "socket"):
        for through_link in (False, True):
            path, link = name(), name()
            make(kind, path)
            os.chown(path, 65534, 65533)
            os.symlink(path, link)
            where = link if through_link else path
            for uid, gid in ((65534, 65532), (-1, 65533), (65534, -1)):
                os.chmod(where, 0o6555)
                check(mode_of(path) == 0o6555)
                expect_as(65534, [65533, 65532], 0, os.chown, where, uid, gid)
                check(mode_of(path) == 0o555, kind, uid, gid, oct(mode_of(path)))
            os.unlink(link)
            remove(kind, path)


def chown_to_nobody_is_everybodys():
    for kind in TYPES:
        path = name()
        make(kind, path)
        expect_as(65534, 65534, 0, lchown, path, -1, -1)
        check((os.lstat(path).st_uid, os.lstat(path).st_gid) == (0, 0), kind)
        before = ctime(path)
        later()
        expect_as(65534, 65534, "EPERM", lchown, path, 65534, -1)
        expect_as(65534, 65534, "EPERM", lchown, path, -1, 65534)
        expect_as(65534, 65534, "EPERM", lchown, path, 0, 65534)
        check(ctime(path) == before, kind, "a refusal changes nothing")
        remove(kind, path)


def running_programs_are_not_written():
    path = os.path.abspath(name())
    with open("/bin/sleep", "rb") as source, open(path, "wb") as target:
        target.write(source.read())
    os.chmod(path, 0o755)
    child = os.posix_spawn(path, [path, "30"], {})
    try:
        for flags in (os.O_WRONLY, os.O_RDWR, os.O_WRONLY | os.O_TRUNC):
            expect("ETXTBSY", open_close, path, flags)
        expect("ETXTBSY", os.truncate, path, 5)
        expect(0, open_close, path, os.O_RDONLY)
        expect(0, os.rename, path, path + ".moved")
        expect(0, os.unlink, path + ".moved")
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)
    with open(path, "wb") as target:
        target.write(b"#!/bin/true\n")
        target.flush()
        os.chmod(path, 0o755)
        expect("ETXTBSY", os.posix_spawn, path, [path], {})


def refusals_leave_directories_as_they_are():
    d = directory(0o755)
    for each in ("f", "g"):
        create(d + "/" + each)
    os.mkdir(d + "/e")
    os.mkdir(d + "/e/full")
    calls = ((os.unlink, d + "/f"), (os.rmdir, d + "/e/full"), (os.mkdir, d + "/n"), (os.mkfifo, d + "/n"), (os.symlink, "x", d + "/n"),
             (create, d + "/n"), (os.link, d + "/f", d + "/n"), (os.rename, d + "/f", d + "/n"), (os.rename, d + "/f", d + "/g"))
    for call, *arguments in calls:
        keeps_directory(d, expect_as, 65534, 65534, "EACCES" if call is not os.link else as_user(65534, 65534, call, *arguments), call, *arguments)
    for wanted, call, *arguments in (
            ("ENOTEMPTY", os.rmdir, d + "/e"), ("EEXIST", os.mkdir, d + "/e"), ("EEXIST", create, d + "/f"), ("EISDIR", os.unlink, d + "/e"),
            ("ENOENT", os.unlink, d + "/n"), ("EEXIST", os.link, d + "/f", d + "/g"), ("EISDIR", os.rename, d + "/f", d + "/e"),
            ("ENOTDIR", os.rename, d + "/e", d + "/f"), ("EINVAL", os.rename, d + "/e", d + "/e/full/x"), ("ENOENT", os.rename, d + "/n", d + "/m")):
        keeps_directory(d, expect, wanted, call, *arguments)
    check(sorted(os.listdir(d)) == ["e", "f", "g"])


def sizes_up_to_the_limits():
    path = name()
    create(path)
    for size in (1, 4095, 4096, 4097, (1 << 31) - 1, 1 << 31, 1 << 32, (1 << 40) + 1, (1 << 43), 0):
        os.truncate(path, size)
        check(os.lstat(path).st_size == size, size)
    check(os.lstat(path).st_blocks == 0, "nothing was written")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100000, limits[1]))
        expect("EFBIG", os.truncate, path, 100001)
        expect(0, os.truncate, path, 100000)
        with open(path, "r+b") as file:
            check(os.pwrite(file.fileno(), b"x" * 10, 99995) == 5, "what fits is written")
            expect("EFBIG", os.pwrite, file.fileno(), b"x", 100000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, before)
    check(os.lstat(path).st_size == 100000)


def directories_know_their_parent():
    a, b = directory(), directory()
    os.mkdir(a + "/d")
    for target, other_one in ((b, a), (a, b), (b, a)):
        os.rename(other_one + "/d", target + "/d")
        check(os.lstat(target + "/d/..").st_ino == os.lstat(target).st_ino)
        check((os.lstat(target).st_nlink, os.lstat(other_one).st_nlink) == (3, 2))
    top = os.open(b + "/d", os.O_RDONLY | os.O_DIRECTORY)
    os.rename(b + "/d", a + "/e")
    check(os.stat("..", dir_fd=top).st_ino == os.lstat(a).st_ino, "also for one that has it open")
    os.rmdir(a + "/e")
    expect("ENOENT", os.mkdir, "x", dir_fd=top)
    check(os.listdir(top) == [] and os.fstat(top).st_nlink == 0, "a removed directory is empty")
    check(stat.S_ISDIR(os.fstat(top).st_mode))
    os.close(top)


def names_are_bytes():
    d = os.fsencode(directory())
    for each in (b"\xff\xfe", b"new\nline", b" ", b"-", b"...", b"\xc3\xa9", b"e\xcc\x81", b"*?[", b"\x7f\x01", b"x" * 255, "\u00fc".encode() * 127):
        for make_one, remove_one in ((create, os.unlink), (os.mkdir, os.rmdir)):
            make_one(d + b"/" + each)
            check(os.listdir(d) == [each], each)
            os.rename(d + b"/" + each, d + b"/other")
            os.rename(d + b"/other", d + b"/" + each)
            remove_one(d + b"/" + each)
    create(d + b"/Case")
    expect("ENOENT", os.lstat, d + b"/case")
    for call in (create, os.mkdir, os.mkfifo, lambda path: os.symlink(b"x", path), lambda path: os.link(d + b"/Case", path), lambda path: os.rename(d + b"/Case", path)):
        expect("ENAMETOOLONG", call, d + b"/" + b"x" * 256)
        expect("ENOENT", call, b"")


def opening_links_and_more():
    d = directory()
    os.symlink("nowhere", d + "/dangling")
    create(d + "/f")
    os.symlink("f", d + "/l")
    expect("EEXIST", open_close, d + "/dangling", os.O_CREAT | os.O_EXCL | os.O_WRONLY)
    expect("EEXIST", open_close, d + "/l", os.O_CREAT | os.O_EXCL | os.O_WRONLY)
    expect("ELOOP", open_close, d + "/l", os.O_CREAT | os.O_NOFOLLOW | os.O_WRONLY)
    expect("ELOOP", open_close, d + "/dangling", os.O_NOFOLLOW | os.O_WRONLY | os.O_CREAT)
    expect("EISDIR", open_close, d, os.O_WRONLY | os.O_CREAT)
    link = os.open(d + "/l", os.O_PATH | os.O_NOFOLLOW)
    check(stat.S_ISLNK(os.fstat(link).st_mode) and os.readlink("", dir_fd=link) == "f")
    expect("EBADF", os.read, link, 1)
    os.close(link)
    file = os.open(d + "/f", os.O_WRONLY)
    expect("EBADF", os.read, file, 1)
    os.close(file)
    file = os.open(d + "/f", os.O_RDONLY)
    expect("EBADF", os.write, file, b"x")
    expect("EINVAL", os.ftruncate, file, 0)
    expect("EINVAL", os.lseek, file, -1, os.SEEK_SET)
    os.close(file)
    for flags in (os.O_RDWR, os.O_WRONLY | os.O_TRUNC, os.O_RDWR | os.O_APPEND):
        expect_as(65534, 65534, "EACCES", open_close, d + "/f", flags)
    os.chmod(d + "/f", 0o200)
    expect_as(65534, 65534, "EACCES", open_close, d + "/f", os.O_RDONLY)


def set_group_id_directories_give_their_group():
    d = directory(0o2777, 65534, 65533)
    for kind in TYPES:
        path = d + "/" + name()
        make(kind, path)
        check(os.lstat(path).st_gid == 65533, kind)
        check(kind != "dir" or mode_of(path) & 0o2000 != 0, "directories pass it on")
        remove(kind, path)
    path = d + "/" + name()
    expect_as(65532, 65532, 0, create, path, 0o2775, umask=0)
    check(mode_of(path) & 0o2010 != 0o2010, "not to programs of strangers to the group", oct(mode_of(path)))
    file = os.open(d, os.O_TMPFILE | os.O_RDWR, 0o600)
    check(os.fstat(file).st_gid == 65533)
    os.close(file)


def main():
    global other, checks
    other = os.path.abspath(sys.argv[2])
    os.chdir(sys.argv[1])
    os.chmod(".", 0o755)
    os.umask(0o022)
    chosen = sys.argv[3:]
    for title in chosen or TESTS:
        checks = 0
        try:
            globals()[title]()
            print("ok", title, checks, flush=True)
        except BaseException as failed:
            at = traceback.extract_tb(failed.__traceback__)
            lines = ",".join(str(frame.lineno) for frame in at[1:])
            print("not ok", title, "after %d checks, line %s: %s" % (checks, lines, str(failed)[:600].replace("\n", " ")), flush=True)


TESTS = """
chmod_changes_modes chmod_refuses chmod_by_a_stranger_to_the_group_clears_set_group_id sticky_files writing_clears_set_id
truncating_open_clears_set_id chown_changes_owners chown_by_the_owner chown_clears_set_id chown_refuses link_makes_names
link_refuses mkdir_makes mkdir_refuses mkfifo_makes mkfifo_refuses mknod_makes mknod_refuses open_creates open_truncates
open_checks_permissions open_refuses temporary_files rename_moves rename_replaces rename_refuses rename_flags
moving_a_directory_needs_to_write_it sticky_unlink sticky_rmdir sticky_rename_from sticky_rename_over rmdir_removes
rmdir_refuses unlink_removes unlink_refuses unlinked_files_live_while_open symlink_makes symlink_refuses
truncate_changes_sizes truncate_refuses fallocate_reserves utimensat_sets utimensat_checks_permissions utimensat_refuses
writing_moves_times extended_attributes_of_users appends_go_to_the_end locks directories_list_what_is_there
chown_of_every_kind_clears_set_id chown_to_nobody_is_everybodys running_programs_are_not_written
refusals_leave_directories_as_they_are sizes_up_to_the_limits directories_know_their_parent names_are_bytes opening_links_and_more
set_group_id_directories_give_their_group
""".split()

if __name__ == "__main__":
    main()
