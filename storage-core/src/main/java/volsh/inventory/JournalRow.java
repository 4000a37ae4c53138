package volsh.inventory;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.UUID;

/**
 * Records that blocks named by the metadata may not be in the store yet, but wait in a directory of a host: {@code
 * blocks} when last counted, at {@code counted}, the oldest since {@code oldest}. A journal in memory is lost on a
 * restart of the host.
 */
public record JournalRow(UUID id, String host, String directory, Instant opened, Instant counted, int blocks,
        long bytes, Instant oldest, boolean inMemory) {
    /** A journal in which nothing waits yet. */
    public static JournalRow opened(UUID id, String host, String directory, Instant now) {
        return new JournalRow(id, host, directory, now, now, 0, 0, now, false);
    }

    public JournalRow counted(Instant now, int newBlocks, long newBytes, Instant newOldest) {
        return new JournalRow(id, host, directory, opened, now, newBlocks, newBytes, newOldest, inMemory);
    }

    public JournalRow inMemory(boolean is) {
        return new JournalRow(id, host, directory, opened, counted, blocks, bytes, oldest, is);
    }

    byte[] toBytes() {
        var bytes = new ByteArrayOutputStream();
        try (var out = new DataOutputStream(bytes)) {
            out.writeByte(1);
            out.writeUTF(host);
            out.writeUTF(directory);
            out.writeLong(opened.toEpochMilli());
            out.writeLong(counted.toEpochMilli());
            out.writeInt(blocks);
            out.writeLong(this.bytes);
            out.writeLong(oldest.toEpochMilli());
            if (inMemory) {   // earlier versions stop reading here
                out.writeBoolean(true);
            }
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return bytes.toByteArray();
    }

    static JournalRow parse(UUID id, byte[] row) throws IOException {
        var in = new DataInputStream(new ByteArrayInputStream(row));
        int format = in.readByte();
        if (format != 1) {
            throw new IOException("unsupported journal row format " + format + ": this volsh supports 1");
        }
        return new JournalRow(
                id, in.readUTF(), in.readUTF(), Instant.ofEpochMilli(in.readLong()),
                Instant.ofEpochMilli(in.readLong()), in.readInt(), in.readLong(), Instant.ofEpochMilli(in.readLong()),
                in.available() > 0 && in.readBoolean());
    }
}
