package volsh.meta;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * A process that has the volume open. Until {@code lease} expires, no other session may reclaim what it may be reading:
 * states from tick {@code lowWater} on. {@code blocks} are the ranges of block ids that only this session writes.
 * {@code mark} is a {@link volsh.proc.ProcessMark} of its process; empty if an older volsh opened it.
 */
public record Session(long id, String host, long pid, String purpose, Instant started, Instant lease, long lowWater,
        List<Range> blocks, String mark) {

    /** Ids {@code [first, end)}. */
    public record Range(long first, long end) {
        boolean contains(long id) {
            return first <= id && id < end;
        }
    }

    public Session {
        blocks = List.copyOf(blocks);
    }

    public boolean owns(long block) {
        return blocks.stream().anyMatch(range -> range.contains(block));
    }

    Session renewed(Instant newLease, long newLowWater) {
        return new Session(id, host, pid, purpose, started, newLease, newLowWater, blocks, mark);
    }

    /** With another range. One that continues the last range extends it, so that a lone writer's row does not grow. */
    Session with(Range range) {
        var more = new ArrayList<>(blocks);
        boolean continues = !more.isEmpty() && more.getLast().end() == range.first();
        more.add(continues ? new Range(more.removeLast().first(), range.end()) : range);
        return new Session(id, host, pid, purpose, started, lease, lowWater, more, mark);
    }

    public byte[] toBytes() {
        var bytes = new ByteArrayOutputStream();
        try (var out = new DataOutputStream(bytes)) {
            out.writeByte(1);
            out.writeUTF(host);
            out.writeLong(pid);
            out.writeUTF(purpose);
            out.writeLong(started.toEpochMilli());
            out.writeLong(lease.toEpochMilli());
            out.writeLong(lowWater);
            out.writeInt(blocks.size());
            for (var range : blocks) {
                out.writeLong(range.first());
                out.writeLong(range.end());
            }
            if (!mark.isEmpty()) {
                out.writeUTF(mark);
            }
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return bytes.toByteArray();
    }

    public static Session parse(long id, byte[] row) throws IOException {
        var in = new DataInputStream(new ByteArrayInputStream(row));
        int format = in.readByte();
        if (format != 1) {
            throw new IOException("unsupported session row format " + format + ": this volsh supports 1");
        }
        String host = in.readUTF();
        long pid = in.readLong();
        String purpose = in.readUTF();
        var started = Instant.ofEpochMilli(in.readLong());
        var lease = Instant.ofEpochMilli(in.readLong());
        long lowWater = in.readLong();
        var blocks = new ArrayList<Range>();
        for (int left = in.readInt(); left > 0; left--) {
            blocks.add(new Range(in.readLong(), in.readLong()));
        }
        return new Session(id, host, pid, purpose, started, lease, lowWater, blocks,
                in.available() > 0 ? in.readUTF() : "");
    }
}
