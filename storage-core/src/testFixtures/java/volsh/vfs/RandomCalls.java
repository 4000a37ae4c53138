package volsh.vfs;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import volsh.fs.FileKind;
import volsh.fs.RenameMode;

/**
 * Random system calls in a small world: few names, so that they meet; small files around block borders; open files that
 * outlive their names. Which calls come follows from the seed alone.
 */
public final class RandomCalls {
    private static final List<String> NAMES = List.of("a", "b", "c", "dd", "ee");
    private static final int FILES_MAX = 8;

    private final Random random;
    private final int sizeMax;
    private final int unit;
    private final boolean appends;
    private int openFiles;

    /** Files up to {@code sizeMax} bytes; offsets often lie at or beside multiples of {@code unit}. */
    public RandomCalls(Random random, int sizeMax, int unit) {
        this(random, sizeMax, unit, false);
    }

    private RandomCalls(Random random, int sizeMax, int unit, boolean appends) {
        this.random = random;
        this.sizeMax = sizeMax;
        this.unit = unit;
        this.appends = appends;
    }

    /** Some of whose writes are as those of a log. */
    public static RandomCalls appending(Random random, int sizeMax, int unit) {
        return new RandomCalls(random, sizeMax, unit, true);
    }

    /** A call and how to speak of it. */
    public record Step(String text, Program.Call call) {}

    /** The next call for programs that have {@code open} files open. */
    public Step next(int open) {
        openFiles = open;
        int dice = random.nextInt(100);
        if (open == 0 && dice < 50) {
            return open();
        }
        return appends && dice < 5 ? append() : dice < 26 ? write() : dice < 38 ? read() : dice < 43 ? resize()
                : dice < 49 ? reserve() : dice < 53 ? copy()
                : dice < 61 ? open() : dice < 67 ? close() : dice < 70 ? sync() : dice < 92 ? name() : attribute();
    }

    // ---- choices

    private String path() {
        var path = new StringBuilder();
        int depth = 1 + random.nextInt(3);
        for (int i = 0; i < depth; i++) {
            path.append('/').append(NAMES.get(random.nextInt(NAMES.size())));
        }
        return path.toString();
    }

    private int offset() {
        int near = random.nextInt(sizeMax / unit) * unit + random.nextInt(5) - 2;
        return Math.max(0, random.nextBoolean() ? near : random.nextInt(random.nextBoolean() ? 300 : sizeMax));
    }

    private int length() {
        return switch (random.nextInt(5)) {
            case 0 -> random.nextInt(10);
            case 1 -> random.nextInt(300);
            case 2 -> unit + random.nextInt(3) - 1;
            case 3 -> random.nextInt(unit);
            default -> random.nextInt(3 * unit);
        };
    }

    private byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        if (random.nextInt(4) == 0) {
            Arrays.fill(bytes, (byte) random.nextInt(1, 256));
        } else {
            random.nextBytes(bytes);
        }
        return bytes;
    }

    private int file() {
        return openFiles == 0 ? -1 : random.nextInt(openFiles);
    }

    private static Step step(String text, Program.Call call) {
        return new Step(text, call);
    }

    private static Step nothing() {
        return step("nothing", program -> "nothing");
    }

    // ---- bytes

    private Step write() {
        int file = file();
        int offset = offset();
        byte[] bytes = bytes(length());
        return file < 0 ? nothing() : step("write #%d at %d: %s".formatted(file, offset, Fingerprint.of(bytes)),
                program -> {
            program.fs().pwrite(program.file(file), bytes, offset);
            return null;
        });
    }

    /** As a log is written: a few bytes at the end, and then out with them. */
    private Step append() {
        int file = file();
        byte[] bytes = bytes(random.nextInt(1, 400));
        return file < 0 ? nothing() : step("append #%d: %s".formatted(file, Fingerprint.of(bytes)), program -> {
            long size = program.fs().fstat(program.file(file)).size();
            if (size < sizeMax) {
                program.fs().pwrite(program.file(file), bytes, size);
            }
            program.fs().fsync(program.file(file));
            return size;
        });
    }

    private Step read() {
        int file = file();
        int offset = offset();
        int length = random.nextInt(4) == 0 ? sizeMax * 2 : length();
        return file < 0 ? nothing() : step("read #%d %d bytes at %d".formatted(file, length, offset), program -> {
            byte[] target = new byte[length];
            int count = program.fs().pread(program.file(file), target, offset);
            return Arrays.copyOf(target, count);
        });
    }

    private Step resize() {
        int file = file();
        int size = random.nextInt(6) == 0 ? 0 : offset();
        var path = path();
        if (file < 0 || random.nextInt(3) == 0) {
            return step("truncate %s to %d".formatted(path, size), program -> {
                program.fs().truncate(path, size);
                return null;
            });
        }
        return step("ftruncate #%d to %d".formatted(file, size), program -> {
            program.fs().ftruncate(program.file(file), size);
            return null;
        });
    }

    private Step reserve() {
        int file = file();
        int offset = offset();
        int length = length();
        int mode = List.of(0, Posix.KEEP_SIZE, Posix.PUNCH_HOLE | Posix.KEEP_SIZE, Posix.ZERO_RANGE,
                Posix.ZERO_RANGE | Posix.KEEP_SIZE)
                .get(random.nextInt(5));
        return file < 0 ? nothing() : step("fallocate #%d mode %d %d bytes at %d".formatted(file, mode, length, offset),
                program -> {
            program.fs().fallocate(program.file(file), mode, offset, length);
            return null;
        });
    }

    private Step copy() {
        int source = file();
        int target = file();
        int from = offset();
        int to = offset();
        int length = random.nextInt(1, 6 * unit);
        return source < 0 ? nothing()
                : step("copy %d bytes #%d at %d to #%d at %d".formatted(length, source, from, target, to), program ->
                        program.fs().copyRange(program.file(source), from, program.file(target), to, length));
    }

    private Step open() {
        if (openFiles >= FILES_MAX) {
            return close();
        }
        var path = path();
        int flags = Posix.READ_WRITE | (random.nextInt(4) > 0 ? Posix.CREATE : 0)
                | (random.nextInt(8) == 0 ? Posix.TRUNCATE : 0)
                | (random.nextInt(8) == 0 ? Posix.EXCLUSIVE : 0) | (random.nextInt(8) == 0 ? Posix.NO_FOLLOW : 0);
        return step("open %s %o".formatted(path, flags),
                program -> program.opened(program.fs().open(path, flags, 0640)));
    }

    private Step close() {
        int file = file();
        return file < 0 ? nothing() : step("close #" + file, program -> program.close(file));
    }

    private Step sync() {
        int file = file();
        return file < 0 ? nothing() : step("fsync #" + file, program -> {
            program.fs().fsync(program.file(file));
            return null;
        });
    }

    // ---- names

    private Step name() {
        var path = path();
        var other = path();
        var slashed = random.nextInt(8) == 0 ? path + "/" : path;
        return switch (random.nextInt(12)) {
            case 0, 1 -> step("mkdir " + slashed, program -> {
                program.fs().mkdir(slashed, 0750);
                return null;
            });
            case 2 -> step("rmdir " + slashed, program -> {
                program.fs().rmdir(slashed);
                return null;
            });
            case 3, 4 -> step("unlink " + path, program -> {
                program.fs().unlink(path);
                return null;
            });
            case 5 -> step("link " + path + " as " + other, program -> {
                program.fs().link(path, other);
                return null;
            });
            case 6 -> step("symlink " + other + " at " + path, program -> {
                program.fs().symlink(other, path);
                return null;
            });
            case 7 -> step("mknod " + path, program -> {
                program.fs().mknod(path, FileKind.FIFO, 0600, 0);
                return null;
            });
            case 8 -> step("list " + slashed, program -> program.fs().list(slashed).stream().sorted().toList());
            default -> rename(path, other);
        };
    }

    private Step rename(String from, String to) {
        var mode = random.nextInt(3) > 0 ? RenameMode.REPLACE : RenameMode.values()[random.nextInt(3)];
        return step("rename %s to %s %s".formatted(from, to, mode), program -> {
            program.fs().rename(from, to, mode);
            return null;
        });
    }

    // ---- attributes

    private Step attribute() {
        var path = path();
        int file = file();
        return switch (random.nextInt(9)) {
            case 0 -> step("stat " + path, program -> program.fs().stat(path));
            case 1 -> step("lstat " + path, program -> program.fs().lstat(path));
            case 2 -> file < 0 ? nothing() : step("fstat #" + file, program -> program.fs().fstat(program.file(file)));
            case 3 -> chmod(path, random.nextInt(01000));
            case 4 -> chown(path, random.nextInt(4) - 1, random.nextInt(4) - 1);
            case 5, 6 -> times(path, file, time(), time());
            default -> extended(path);
        };
    }

    private static Step chmod(String path, int mode) {
        return step("chmod %s %o".formatted(path, mode), program -> {
            program.fs().chmod(path, mode);
            return null;
        });
    }

    private static Step chown(String path, int uid, int gid) {
        return step("chown %s %d:%d".formatted(path, uid, gid), program -> {
            program.fs().chown(path, uid, gid);
            return null;
        });
    }

    private long time() {
        return random.nextInt(3) == 0 ? Posix.OMIT : random.nextLong(4_000_000_000_000_000_000L);
    }

    private static Step times(String path, int file, long atime, long mtime) {
        return file < 0
                ? step("utimens %s %d %d".formatted(path, atime, mtime), program -> {
                    program.fs().utimens(path, atime, mtime);
                    return null;
                })
                : step("futimens #%d %d %d".formatted(file, atime, mtime), program -> {
                    program.fs().futimens(program.file(file), atime, mtime);
                    return null;
                });
    }

    private Step extended(String path) {
        var name = "user." + NAMES.get(random.nextInt(NAMES.size()));
        byte[] value = bytes(random.nextInt(40));
        boolean mustExist = random.nextBoolean();
        return switch (random.nextInt(5)) {
            case 0 -> step("getxattr " + path + " " + name, program -> program.fs().getxattr(path, name));
            case 1 -> step("listxattr " + path, program -> program.fs().listxattr(path));
            case 2 -> step("removexattr " + path + " " + name, program -> {
                program.fs().removexattr(path, name);
                return null;
            });
            case 3 -> step("setxattr " + path + " " + name + " must exist " + mustExist, program -> {
                program.fs().setxattr(path, name, value, mustExist);
                return null;
            });
            default -> step("setxattr " + path + " " + name, program -> {
                program.fs().setxattr(path, name, value);
                return null;
            });
        };
    }
}
