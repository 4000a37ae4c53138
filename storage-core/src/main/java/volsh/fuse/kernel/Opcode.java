package volsh.fuse.kernel;

/** The requests of the FUSE protocol, by their number. */
final class Opcode {
    static final int LOOKUP = 1;
    static final int FORGET = 2;
    static final int GETATTR = 3;
    static final int SETATTR = 4;
    static final int READLINK = 5;
    static final int SYMLINK = 6;
    static final int MKNOD = 8;
    static final int MKDIR = 9;
    static final int UNLINK = 10;
    static final int RMDIR = 11;
    static final int RENAME = 12;
    static final int LINK = 13;
    static final int OPEN = 14;
    static final int READ = 15;
    static final int WRITE = 16;
    static final int STATFS = 17;
    static final int RELEASE = 18;
    static final int FSYNC = 20;
    static final int SETXATTR = 21;
    static final int GETXATTR = 22;
    static final int LISTXATTR = 23;
    static final int REMOVEXATTR = 24;
    static final int FLUSH = 25;
    static final int INIT = 26;
    static final int OPENDIR = 27;
    static final int READDIR = 28;
    static final int RELEASEDIR = 29;
    static final int FSYNCDIR = 30;
    static final int GETLK = 31;
    static final int SETLK = 32;
    static final int SETLKW = 33;
    static final int ACCESS = 34;
    static final int CREATE = 35;
    static final int INTERRUPT = 36;
    static final int DESTROY = 38;
    static final int BATCH_FORGET = 42;
    static final int FALLOCATE = 43;
    static final int READDIRPLUS = 44;
    static final int RENAME2 = 45;
    static final int LSEEK = 46;
    static final int COPY_FILE_RANGE = 47;
    static final int SYNCFS = 50;
    static final int TMPFILE = 51;

    private Opcode() {}

    /** The names by number, for people; null where there is no such request. */
    static String[] names() {
        var names = new String[TMPFILE + 1];
        names[LOOKUP] = "lookup";
        names[FORGET] = "forget";
        names[GETATTR] = "getattr";
        names[SETATTR] = "setattr";
        names[READLINK] = "readlink";
        names[SYMLINK] = "symlink";
        names[MKNOD] = "mknod";
        names[MKDIR] = "mkdir";
        names[UNLINK] = "unlink";
        names[RMDIR] = "rmdir";
        names[RENAME] = "rename";
        names[LINK] = "link";
        names[OPEN] = "open";
        names[READ] = "read";
        names[WRITE] = "write";
        names[STATFS] = "statfs";
        names[RELEASE] = "release";
        names[FSYNC] = "fsync";
        names[ACCESS] = "access";
        names[SETXATTR] = "setxattr";
        names[GETXATTR] = "getxattr";
        names[LISTXATTR] = "listxattr";
        names[REMOVEXATTR] = "removexattr";
        names[FLUSH] = "flush";
        names[OPENDIR] = "opendir";
        names[READDIR] = "readdir";
        names[RELEASEDIR] = "releasedir";
        names[FSYNCDIR] = "fsyncdir";
        names[GETLK] = "getlk";
        names[SETLK] = "setlk";
        names[SETLKW] = "setlkw";
        names[CREATE] = "create";
        names[INTERRUPT] = "interrupt";
        names[BATCH_FORGET] = "batch-forget";
        names[FALLOCATE] = "fallocate";
        names[READDIRPLUS] = "readdirplus";
        names[RENAME2] = "rename2";
        names[LSEEK] = "lseek";
        names[COPY_FILE_RANGE] = "copy-file-range";
        names[SYNCFS] = "syncfs";
        names[TMPFILE] = "tmpfile";
        return names;
    }
}
