"""Changes a file in every way there is, at random, and compares every byte read with what it must be.

usage: fsx.py FILE MODE SEED OPERATIONS
"""
import ctypes
import mmap
import os
import random
import sys

libc = ctypes.CDLL(None, use_errno=True)
KEEP_SIZE, PUNCH_HOLE, ZERO_RANGE = 1, 2, 16
SIZE_MAX = 700_000
PAGE = 4096

BASIC = ["read", "write", "write", "truncate", "reopen"]
MODES = {
    "plain": BASIC,
    "mmap": BASIC + ["mapread", "mapwrite", "mapwrite"],
    "direct": BASIC + ["directread", "directwrite", "directwrite"],
    "holes": BASIC + ["allocate", "punch", "zero", "seek"],
    "copy": BASIC + ["copy", "copy"],
    "sync": BASIC + ["sync", "forget"],
    "all": BASIC + ["mapread", "mapwrite", "directread", "directwrite", "allocate", "punch", "zero", "seek", "copy", "sync", "forget"],
}


class File:
    def __init__(self, path, rnd):
        self.path = path
        self.rnd = rnd
        self.file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o644)
        self.direct = os.open(path, os.O_RDWR | os.O_DIRECT)
        self.right = bytearray()
        self.log = []

    def said(self, *what):
        self.log = (self.log + [" ".join(str(w) for w in what)])[-40:]

    def range(self, size_max=SIZE_MAX):
        start = self.rnd.choice((self.rnd.randrange(size_max), self.rnd.randrange(size_max // PAGE) * PAGE))
        length = min(size_max - start, self.rnd.choice((1, 100, PAGE, self.rnd.randrange(1, 20000), self.rnd.randrange(1, 200000))))
        return start, length

    def bytes(self, length):
        return self.rnd.randbytes(length)

    def compare(self, what, start, got, wanted):
        if got == wanted:
            return
        at = next((i for i, (a, b) in enumerate(zip(got, wanted)) if a != b), min(len(got), len(wanted)))
        raise AssertionError("%s at %d: %d bytes of %d, first difference at %d (file of %d)\n%s" % (
            what, start, len(got), len(wanted), start + at, len(self.right), "\n".join(self.log)))

    def put(self, start, data):
        if len(self.right) < start:
            self.right.extend(bytes(start - len(self.right)))
        self.right[start:start + len(data)] = data

    # ---- operations

    def read(self):
        start, length = self.range()
        self.said("read", start, length)
        self.compare("read", start, os.pread(self.file, length, start), bytes(self.right[start:start + length]))

    def write(self):
        start, length = self.range()
        self.said("write", start, length)
        data = self.bytes(length)
        done = os.pwrite(self.file, data, start)
        assert done == length, (done, length)
        self.put(start, data)

    def aligned(self):
        start, length = self.range()
        return start // PAGE * PAGE, max(PAGE, length // PAGE * PAGE)

    def directread(self):
        start, length = self.aligned()
        self.said("direct read", start, length)
        buffer = mmap.mmap(-1, length)
        done = os.preadv(self.direct, [buffer], start)
        self.compare("direct read", start, buffer[:done], bytes(self.right[start:start + length]))

    def directwrite(self):
        start, length = self.aligned()
        self.said("direct write", start, length)
        buffer = mmap.mmap(-1, length)
        buffer[:] = self.bytes(length)
        done = os.pwritev(self.direct, [buffer], start)
        assert done == length, (done, length)
        self.put(start, buffer[:])

    def mapread(self):
        if self.right:
            start, length = self.range(len(self.right)) if len(self.right) > PAGE else (0, len(self.right))
            self.said("map read", start, length)
            with mmap.mmap(self.file, len(self.right), prot=mmap.PROT_READ) as view:
                self.compare("map read", start, view[start:start + length], bytes(self.right[start:start + length]))

    def mapwrite(self):
        if self.right:
            start, length = self.range(len(self.right)) if len(self.right) > PAGE else (0, len(self.right))
            self.said("map write", start, length)
            data = self.bytes(length)
            with mmap.mmap(self.file, len(self.right)) as view:
                view[start:start + length] = data
                if self.rnd.randrange(2):
                    view.flush()
            self.put(start, data)

    def truncate(self):
        size = self.rnd.choice((0, self.rnd.randrange(SIZE_MAX), self.rnd.randrange(SIZE_MAX // PAGE) * PAGE, len(self.right) + 1))
        self.said("truncate", size)
        if self.rnd.randrange(2):
            os.ftruncate(self.file, size)
        else:
            os.truncate(self.path, size)
        del self.right[size:]
        self.right.extend(bytes(size - len(self.right)))

    def fallocate(self, mode, start, length):
        if libc.fallocate(self.file, mode, ctypes.c_long(start), ctypes.c_long(length)) != 0:
            raise OSError(ctypes.get_errno(), "fallocate %d" % mode)

    def allocate(self):
        start, length = self.range()
        mode = self.rnd.choice((0, KEEP_SIZE))
        self.said("allocate", start, length, mode)
        self.fallocate(mode, start, length)
        if not mode:
            self.right.extend(bytes(max(0, start + length - len(self.right))))

    def punch(self):
        start, length = self.range()
        self.said("punch", start, length)
        self.fallocate(PUNCH_HOLE | KEEP_SIZE, start, length)
        end = min(len(self.right), start + length)
        if end > start:
            self.right[start:end] = bytes(end - start)

    def zero(self):
        start, length = self.range()
        mode = self.rnd.choice((0, KEEP_SIZE))
        self.said("zero", start, length, mode)
        self.fallocate(ZERO_RANGE | mode, start, length)
        end = min(len(self.right), start + length) if mode else start + length
        if end > start:
            self.put(start, bytes(end - start))

    def seek(self):
        """Whatever is said to be a hole holds zeros."""
        at = 0
        while at < len(self.right):
            try:
                data = os.lseek(self.file, at, os.SEEK_DATA)
            except OSError:
                data = len(self.right)
            self.compare("hole", at, bytes(data - at), bytes(self.right[at:data]))
            if data >= len(self.right):
                return
            at = os.lseek(self.file, data, os.SEEK_HOLE)

    def copy(self):
        start, length = self.range()
        target = self.rnd.randrange(SIZE_MAX)
        length = min(length, SIZE_MAX - target, max(0, len(self.right) - start))
        if length <= 0 or abs(start - target) < length:
            return
        self.said("copy", start, length, "to", target)
        done = 0
        while done < length:
            count = os.copy_file_range(self.file, self.file, length - done, start + done, target + done)
            assert count > 0
            done += count
        self.put(target, bytes(self.right[start:start + length]))

    def sync(self):
        self.said("sync")
        os.fsync(self.file)

    def forget(self):
        self.said("forget")
        os.fsync(self.file)
        os.posix_fadvise(self.file, 0, 0, os.POSIX_FADV_DONTNEED)

    def reopen(self):
        self.said("reopen")
        os.close(self.file)
        os.close(self.direct)
        assert os.stat(self.path).st_size == len(self.right), (os.stat(self.path).st_size, len(self.right), "\n".join(self.log))
        self.file = os.open(self.path, os.O_RDWR)
        self.direct = os.open(self.path, os.O_RDWR | os.O_DIRECT)

    def whole(self):
        self.reopen()
        self.compare("all", 0, os.pread(self.file, SIZE_MAX * 2, 0), bytes(self.right))


def main():
    path, mode, seed, count = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    file = File(path, random.Random(seed))
    for i in range(count):
        getattr(file, file.rnd.choice(MODES[mode]))()
        if i % 100 == 99:
            file.whole()
    file.whole()
    print("ok", count)


main()
