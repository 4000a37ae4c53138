package volsh.fuse.kernel;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;

/**
 * The structures of linux/fuse.h: the offset of each field, under its original name. {@code BYTES} is the size of a
 * structure. Fields cost nothing at run time: the compiler sees the offset.
 */
final class FuseStructs {
    private FuseStructs() {}

    record Int16(int offset) {
        void set(MemorySegment memory, long structure, int value) {
            memory.set(JAVA_SHORT_UNALIGNED, structure + offset, (short) value);
        }
    }

    record Int32(int offset) {
        int get(MemorySegment memory, long structure) {
            return memory.get(JAVA_INT_UNALIGNED, structure + offset);
        }

        void set(MemorySegment memory, long structure, int value) {
            memory.set(JAVA_INT_UNALIGNED, structure + offset, value);
        }
    }

    record Int64(int offset) {
        long get(MemorySegment memory, long structure) {
            return memory.get(JAVA_LONG_UNALIGNED, structure + offset);
        }

        void set(MemorySegment memory, long structure, long value) {
            memory.set(JAVA_LONG_UNALIGNED, structure + offset, value);
        }
    }

    private static Int16 int16(int offset) {
        return new Int16(offset);
    }

    private static Int32 int32(int offset) {
        return new Int32(offset);
    }

    private static Int64 int64(int offset) {
        return new Int64(offset);
    }

    // ---- before every request, reply and notice

    interface InHeader {
        int BYTES = 40;
        Int32 LEN = int32(0), OPCODE = int32(4), UID = int32(24), GID = int32(28), PID = int32(32);
        Int64 UNIQUE = int64(8), NODEID = int64(16);
    }

    interface OutHeader {
        int BYTES = 16;
        Int32 LEN = int32(0), ERROR = int32(4);
        Int64 UNIQUE = int64(8);

        static void set(MemorySegment message, long length, int error, long unique) {
            LEN.set(message, 0, (int) length);
            ERROR.set(message, 0, error);
            UNIQUE.set(message, 0, unique);
        }
    }

    interface InitIn {
        Int32 MAJOR = int32(0), MINOR = int32(4), MAX_READAHEAD = int32(8), FLAGS = int32(12), FLAGS2 = int32(16);
    }

    interface InitOut {
        int BYTES = 64;
        Int32 MAJOR = int32(0), MINOR = int32(4), MAX_READAHEAD = int32(8), FLAGS = int32(12), MAX_WRITE = int32(20),
                TIME_GRAN = int32(24), FLAGS2 = int32(32), MAX_STACK_DEPTH = int32(36);
        Int16 MAX_BACKGROUND = int16(16), CONGESTION_THRESHOLD = int16(18), MAX_PAGES = int16(28);
    }

    interface InterruptIn {
        Int64 UNIQUE = int64(0);
    }

    // ---- attributes

    interface Attr {
        int BYTES = 88;
        Int64 INO = int64(0), SIZE = int64(8), BLOCKS = int64(16);
        Int64 ATIME = int64(24), MTIME = int64(32), CTIME = int64(40);
        Int32 ATIMENSEC = int32(48), MTIMENSEC = int32(52), CTIMENSEC = int32(56);
        Int32 MODE = int32(60), NLINK = int32(64), UID = int32(68), GID = int32(72), RDEV = int32(76), BLKSIZE = int32(
                80);
    }

    /** Ends with the attributes, which begin at {@code ATTR}. */
    interface AttrOut {
        int ATTR = 16;
        Int64 ATTR_VALID = int64(0);
        Int32 ATTR_VALID_NSEC = int32(8);
    }

    interface EntryOut {
        int ATTR = 40;
        int BYTES = 128;
        Int64 NODEID = int64(0), ENTRY_VALID = int64(16), ATTR_VALID = int64(24);
        Int32 ENTRY_VALID_NSEC = int32(32), ATTR_VALID_NSEC = int32(36);
    }

    interface SetattrIn {
        Int32 VALID = int32(0), MODE = int32(68), UID = int32(76), GID = int32(80);
        Int32 ATIMENSEC = int32(56), MTIMENSEC = int32(60);
        Int64 FH = int64(8), SIZE = int64(16), ATIME = int64(32), MTIME = int64(40);
    }

    interface Kstatfs {
        int BYTES = 80;
        Int64 BLOCKS = int64(0), BFREE = int64(8), BAVAIL = int64(16), FILES = int64(24), FFREE = int64(32);
        Int32 BSIZE = int32(40), NAMELEN = int32(44), FRSIZE = int32(48);
    }

    /** As sent without SETXATTR_EXT, {@code COMPAT_BYTES} long, or with it. */
    interface SetxattrIn {
        int COMPAT_BYTES = 8, BYTES = 16;
        Int32 SIZE = int32(0), FLAGS = int32(4), SETXATTR_FLAGS = int32(8);
    }

    /** Also for LISTXATTR, without a name. */
    interface GetxattrIn {
        int BYTES = 8;
        Int32 SIZE = int32(0);
    }

    interface GetxattrOut {
        int BYTES = 8;
        Int32 SIZE = int32(0);
    }

    // ---- names: one or two of them follow

    interface MknodIn {
        int BYTES = 16;
        Int32 MODE = int32(0), RDEV = int32(4), UMASK = int32(8);
    }

    interface MkdirIn {
        int BYTES = 8;
        Int32 MODE = int32(0), UMASK = int32(4);
    }

    interface LinkIn {
        int BYTES = 8;
        Int64 OLDNODEID = int64(0);
    }

    /** The beginning of {@link Rename2In}. */
    interface RenameIn {
        int BYTES = 8;
        Int64 NEWDIR = int64(0);
    }

    interface Rename2In {
        int BYTES = 16;
        Int32 FLAGS = int32(8);
    }

    interface ForgetIn {
        Int64 NLOOKUP = int64(0);
    }

    /** Followed by {@code COUNT} times {@link ForgetOne}. */
    interface BatchForgetIn {
        int BYTES = 8;
        Int32 COUNT = int32(0);
    }

    interface ForgetOne {
        int BYTES = 16;
        Int64 NODEID = int64(0), NLOOKUP = int64(8);
    }

    /** For READDIR; for READDIRPLUS after an {@link EntryOut}. Followed by the name. */
    interface Dirent {
        int BYTES = 24;
        Int64 INO = int64(0), OFF = int64(8);
        Int32 NAMELEN = int32(16), TYPE = int32(20);

        /** The size with a name, padded to a multiple of eight. */
        static int padded(int nameLength) {
            return BYTES + nameLength + 7 & ~7;
        }
    }

    // ---- files

    /** Also for OPENDIR. */
    interface AccessIn {
        Int32 MASK = int32(0);
    }

    interface OpenIn {
        Int32 FLAGS = int32(0), OPEN_FLAGS = int32(4);
    }

    /** Also for TMPFILE. Followed by a name. */
    interface CreateIn {
        int BYTES = 16;
        Int32 FLAGS = int32(0), MODE = int32(4), UMASK = int32(8), OPEN_FLAGS = int32(12);
    }

    interface OpenOut {
        int BYTES = 16;
        Int64 FH = int64(0);
        Int32 OPEN_FLAGS = int32(8), BACKING_ID = int32(12);
    }

    /** The argument of an ioctl on the device. */
    interface BackingMap {
        int BYTES = 16;
        Int32 FD = int32(0);
    }

    /** Also for READDIR and READDIRPLUS. */
    interface ReadIn {
        Int64 FH = int64(0), OFFSET = int64(8);
        Int32 SIZE = int32(16);
    }

    /** Followed by the bytes. */
    interface WriteIn {
        int BYTES = 40;
        Int64 FH = int64(0), OFFSET = int64(8);
        Int32 SIZE = int32(16), WRITE_FLAGS = int32(20), FLAGS = int32(32);
    }

    /** Also for COPY_FILE_RANGE. */
    interface WriteOut {
        int BYTES = 8;
        Int32 SIZE = int32(0);
    }

    interface FlushIn {
        Int64 FH = int64(0), LOCK_OWNER = int64(16);
    }

    /** Also for FSYNCDIR. */
    interface FsyncIn {
        Int64 FH = int64(0);
    }

    /** Also for RELEASEDIR. */
    interface ReleaseIn {
        Int64 FH = int64(0), LOCK_OWNER = int64(16);
        Int32 RELEASE_FLAGS = int32(12);
    }

    interface FallocateIn {
        Int64 FH = int64(0), OFFSET = int64(8), LENGTH = int64(16);
        Int32 MODE = int32(24);
    }

    interface LseekIn {
        Int64 FH = int64(0), OFFSET = int64(8);
        Int32 WHENCE = int32(16);
    }

    interface LseekOut {
        int BYTES = 8;
        Int64 OFFSET = int64(0);
    }

    interface CopyFileRangeIn {
        Int64 FH_IN = int64(0), OFF_IN = int64(8), LEN = int64(40);
        Int64 NODEID_OUT = int64(16), FH_OUT = int64(24), OFF_OUT = int64(32);
    }

    interface LkIn {
        Int64 FH = int64(0), OWNER = int64(8), LK_START = int64(16), LK_END = int64(24);
        Int32 LK_TYPE = int32(32), LK_PID = int32(36), LK_FLAGS = int32(40);
    }

    /** The only content of a fuse_lk_out. */
    interface FileLock {
        int BYTES = 24;
        Int64 START = int64(0), END = int64(8);
        Int32 TYPE = int32(16), PID = int32(20);
    }

    // ---- notices

    interface NotifyInvalInodeOut {
        int BYTES = 24;
        Int64 INO = int64(0), OFF = int64(8), LEN = int64(16);
    }

    /** Followed by the name. */
    interface NotifyInvalEntryOut {
        int BYTES = 16;
        Int64 PARENT = int64(0);
        Int32 NAMELEN = int32(8), FLAGS = int32(12);
    }

    // ---- of the system calls

    interface Iovec {
        int BYTES = 16;
        Int64 IOV_BASE = int64(0), IOV_LEN = int64(8);

        static void set(MemorySegment vectors, int number, MemorySegment bytes, long length) {
            IOV_BASE.set(vectors, (long) BYTES * number, bytes.address());
            IOV_LEN.set(vectors, (long) BYTES * number, length);
        }
    }

    interface Pollfd {
        int BYTES = 8;
        Int32 FD = int32(0);
        Int16 EVENTS = int16(4);
    }
}
