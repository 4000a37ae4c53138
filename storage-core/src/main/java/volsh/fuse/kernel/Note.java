package volsh.fuse.kernel;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import volsh.fuse.Asked;

/** A request and its reply, as a recording keeps them. Offsets are those of the protocol's structures. */
final class Note {
    private static final int NEW_SIZE = 8;
    private static final int ENTRY = 128;
    private static final int DIRENT = 24;

    private Note() {}

    /** Nothing for requests that no program asked for. {@code operation} is null if there is no such request. */
    static List<Asked> of(Request in, Reply reply, String operation, long begin, long took, int errno) {
        int opcode = in.opcode();
        if (operation == null || opcode == Opcode.FORGET || opcode == Opcode.BATCH_FORGET || opcode == Opcode.INTERRUPT
                || opcode == Opcode.DESTROY) {
            return List.of();
        }
        var asked = Asked.of(begin, took, in.process(), operation, in.node(), errno);
        long found = errno == 0 ? reply.node() : 0;
        long opened = errno == 0 ? reply.opened() : 0;
        if (opcode == Opcode.READDIRPLUS && errno == 0) {
            return listed(asked.range(in.int64(0), in.int64(8), in.int32(16), reply.size()), reply);
        }
        return List.of(switch (opcode) {
            case Opcode.READ, Opcode.READDIR, Opcode.READDIRPLUS -> asked.range(in.int64(0), in.int64(8), in.int32(16), errno == 0
                    ? reply.size() : 0);
            case Opcode.WRITE -> asked.range(in.int64(0), in.int64(8), in.int32(16), errno == 0 ? in.int32(16) : 0);
            case Opcode.FALLOCATE -> asked.range(in.int64(0), in.int64(8), in.int64(16), 0);
            case Opcode.COPY_FILE_RANGE -> copy(asked, in, errno == 0 ? reply.int32At(0) : 0);
            case Opcode.LOOKUP -> asked.named(in.text(0)).found(found);
            case Opcode.CREATE -> asked.named(in.text(16)).found(found).opened(opened, in.int32(0));
            case Opcode.OPEN -> asked.opened(opened, in.int32(0));
            case Opcode.OPENDIR -> asked.opened(opened, 0);
            case Opcode.TMPFILE -> asked.found(found).opened(opened, in.int32(0));
            case Opcode.RELEASE, Opcode.FLUSH, Opcode.FSYNC, Opcode.RELEASEDIR, Opcode.FSYNCDIR, Opcode.LSEEK ->
                    asked.opened(in.int64(0), 0);
            case Opcode.SETATTR -> asked.range(in.int64(8), 0, (in.int32(0) & NEW_SIZE) == 0 ? -1 : in.int64(16), 0);
            case Opcode.MKDIR -> asked.named(in.text(8)).found(found);
            case Opcode.MKNOD -> asked.named(in.text(16)).found(found);
            case Opcode.UNLINK, Opcode.RMDIR -> asked.named(in.text(0));
            case Opcode.SYMLINK -> symlink(asked.found(found), in);
            case Opcode.LINK -> asked.named(in.text(8)).and(in.int64(0), new byte[0]).found(found);
            case Opcode.RENAME -> rename(asked, in, 8);
            case Opcode.RENAME2 -> rename(asked, in, 16);
            default -> asked;
        });
    }

    /** With it the kernel learns names that it will not look up. */
    private static List<Asked> listed(Asked asked, Reply reply) {
        var all = new ArrayList<>(List.of(asked));
        for (long at = 0; at + ENTRY + DIRENT <= reply.size(); ) {
            int length = reply.int32At(at + ENTRY + 16);
            long node = reply.int64At(at);
            if (node != 0) {   // else it is . or ..
                all.add(Asked.of(asked.begin(), 0, asked.process(), Asked.ENTRY, asked.node(), 0).named(reply.bytesAt(at + ENTRY
                        + DIRENT, length)).found(node));
            }
            at += ENTRY + (DIRENT + length + 7 & ~7);
        }
        return all;
    }

    /** The second name is the handle and the offset of the target. */
    private static Asked copy(Asked asked, Request in, int copied) {
        return asked.range(in.int64(0), in.int64(8), in.int64(40), copied)
                .and(in.int64(16), "%d:%d".formatted(in.int64(24), in.int64(32)).getBytes(StandardCharsets.US_ASCII));
    }

    /** The second name is what it points to. */
    private static Asked symlink(Asked asked, Request in) {
        byte[] name = in.text(0);
        return asked.named(name).and(0, in.text(name.length + 1));
    }

    private static Asked rename(Asked asked, Request in, int names) {
        byte[] name = in.text(names);
        return asked.named(name).and(in.int64(0), in.text(names + name.length + 1));
    }
}
