package volsh.fuse.kernel;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import volsh.fuse.Asked;
import volsh.fuse.kernel.FuseStructs.*;

/** A request and its reply in the form of a recording. */
final class Note {
    private static final int NEW_SIZE = 8;

    private Note() {}

    /** Empty for requests that no program made. {@code operation} is null for an unknown opcode. */
    static List<Asked> of(Request in, Reply reply, @Nullable String operation, long begin, long took, int errno) {
        int opcode = in.opcode();
        if (operation == null || opcode == Opcode.FORGET || opcode == Opcode.BATCH_FORGET || opcode == Opcode.INTERRUPT
                || opcode == Opcode.DESTROY) {
            return List.of();
        }
        var asked = Asked.of(begin, took, in.process(), operation, in.node(), errno);
        long found = errno == 0 ? reply.node() : 0;
        long opened = errno == 0 ? reply.opened() : 0;
        if (opcode == Opcode.READDIRPLUS && errno == 0) {
            return listed(read(asked, in, reply.size()), reply);
        }
        return List.of(switch (opcode) {
            case Opcode.READ, Opcode.READDIR, Opcode.READDIRPLUS -> read(asked, in, errno == 0 ? reply.size() : 0);
            case Opcode.WRITE -> write(asked, in, errno == 0 ? in.get(WriteIn.SIZE) : 0);
            case Opcode.FALLOCATE ->
                    asked.range(in.get(FallocateIn.FH), in.get(FallocateIn.OFFSET), in.get(FallocateIn.LENGTH), 0);
            case Opcode.COPY_FILE_RANGE -> copy(asked, in, errno == 0 ? reply.get(WriteOut.SIZE, 0) : 0);
            case Opcode.LOOKUP -> asked.named(in.text()).found(found);
            case Opcode.CREATE ->
                    asked.named(in.text(CreateIn.BYTES)).found(found).opened(opened, in.get(CreateIn.FLAGS));
            case Opcode.OPEN -> asked.opened(opened, in.get(OpenIn.FLAGS));
            case Opcode.OPENDIR -> asked.opened(opened, 0);
            case Opcode.TMPFILE -> asked.found(found).opened(opened, in.get(CreateIn.FLAGS));
            case Opcode.RELEASE, Opcode.RELEASEDIR -> asked.opened(in.get(ReleaseIn.FH), 0);
            case Opcode.FLUSH -> asked.opened(in.get(FlushIn.FH), 0);
            case Opcode.FSYNC, Opcode.FSYNCDIR -> asked.opened(in.get(FsyncIn.FH), 0);
            case Opcode.LSEEK -> asked.opened(in.get(LseekIn.FH), 0);
            case Opcode.SETATTR -> asked.range(in.get(SetattrIn.FH), 0,
                    (in.get(SetattrIn.VALID) & NEW_SIZE) == 0 ? -1 : in.get(SetattrIn.SIZE), 0);
            case Opcode.MKDIR -> asked.named(in.text(MkdirIn.BYTES)).found(found);
            case Opcode.MKNOD -> asked.named(in.text(MknodIn.BYTES)).found(found);
            case Opcode.UNLINK, Opcode.RMDIR -> asked.named(in.text());
            case Opcode.SYMLINK -> symlink(asked.found(found), in);
            case Opcode.LINK ->
                    asked.named(in.text(LinkIn.BYTES)).and(in.get(LinkIn.OLDNODEID), new byte[0]).found(found);
            case Opcode.RENAME -> rename(asked, in, RenameIn.BYTES);
            case Opcode.RENAME2 -> rename(asked, in, Rename2In.BYTES);
            default -> asked;
        });
    }

    private static Asked read(Asked asked, Request in, long read) {
        return asked.range(in.get(ReadIn.FH), in.get(ReadIn.OFFSET), in.get(ReadIn.SIZE), read);
    }

    private static Asked write(Asked asked, Request in, long written) {
        return asked.range(in.get(WriteIn.FH), in.get(WriteIn.OFFSET), in.get(WriteIn.SIZE), written);
    }

    /** A listing with attributes tells the kernel names that it will not look up. */
    private static List<Asked> listed(Asked asked, Reply reply) {
        var all = new ArrayList<>(List.of(asked));
        for (long at = 0; at + EntryOut.BYTES + Dirent.BYTES <= reply.size(); ) {
            long entry = at + EntryOut.BYTES;
            int length = reply.get(Dirent.NAMELEN, entry);
            long node = reply.get(EntryOut.NODEID, at);
            if (node != 0) {   // 0 for . and ..
                all.add(Asked.of(asked.begin(), 0, asked.process(), Asked.ENTRY, asked.node(), 0)
                        .named(reply.bytesAt(entry + Dirent.BYTES, length)).found(node));
            }
            at = entry + Dirent.padded(length);
        }
        return all;
    }

    /** The second name holds the handle and the offset of the target. */
    private static Asked copy(Asked asked, Request in, int copied) {
        var target = "%d:%d".formatted(in.get(CopyFileRangeIn.FH_OUT), in.get(CopyFileRangeIn.OFF_OUT));
        long offset = in.get(CopyFileRangeIn.OFF_IN);
        return asked.range(in.get(CopyFileRangeIn.FH_IN), offset, in.get(CopyFileRangeIn.LEN), copied)
                .and(in.get(CopyFileRangeIn.NODEID_OUT), target.getBytes(StandardCharsets.US_ASCII));
    }

    /** The second name is the link target. */
    private static Asked symlink(Asked asked, Request in) {
        byte[] name = in.text();
        return asked.named(name).and(0, in.text(name.length + 1));
    }

    private static Asked rename(Asked asked, Request in, int names) {
        byte[] name = in.text(names);
        return asked.named(name).and(in.get(RenameIn.NEWDIR), in.text(names + name.length + 1));
    }
}
