package volsh.ship;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import volsh.engine.MetaDamagedException;

/**
 * How far this copy of the metadata is shipped: a row of its own, written by the shipping process.
 *
 * @param copy         the id of this copy
 * @param epoch        how often the volume was taken over before
 * @param shipped      the last change that is in the store
 * @param shippedBytes total length of all write sets up to there
 * @param digest       of the last log shipped
 * @param base         the change after which the newest base begins; {@link #NO_BASE} if there is none
 * @param baseBytes    the stored length of that base
 * @param logBytes     the stored length of the logs after it
 * @param time         when something was last shipped
 */
record ShipState(
        UUID copy,
        long epoch,
        long shipped,
        long shippedBytes,
        byte[] digest,
        long base,
        long baseBytes,
        long logBytes,
        Instant time,
        Optional<Fence> fence) {
    static final long NO_BASE = -1;

    private static final byte FORMAT = 1;

    /** The state of a copy that has shipped nothing: its changes count from {@code counter} on. */
    static ShipState begin(UUID copy, Counter counter) {
        return new ShipState(copy, 0, counter.last(), counter.bytes(), ShippedObject.NO_DIGEST, NO_BASE, 0, 0,
                Instant.EPOCH, Optional.empty());
    }

    /** After one more log. */
    ShipState behind(long last, long setBytes, ShippedObject.Sealed log, Instant now) {
        return new ShipState(copy, epoch, last, shippedBytes + setBytes, log.digest(), base, baseBytes,
                logBytes + log.bytes().length, now, fence);
    }

    /** After a new base, unless another process has written a newer one. */
    ShipState withBase(long start, long bytes, long logsBehind, Instant now) {
        return start < base ? this
                : new ShipState(copy, epoch, shipped, shippedBytes, digest, start, bytes, logsBehind, now, fence);
    }

    ShipState withoutBase() {
        return new ShipState(copy, epoch, shipped, shippedBytes, digest, NO_BASE, 0, 0, time, fence);
    }

    ShipState with(Fence newFence) {
        return new ShipState(copy, epoch, shipped, shippedBytes, digest, base, baseBytes, logBytes, time,
                Optional.of(newFence));
    }

    /** Whether a new base would save a restore much of the log. */
    boolean wantsBase(Sizes sizes) {
        return base == NO_BASE || logBytes > Math.max(sizes.base(), baseBytes);
    }

    byte[] toBytes() {
        var bytes = new ByteArrayOutputStream();
        try (var out = new DataOutputStream(bytes)) {
            out.writeByte(FORMAT);
            out.writeLong(copy.getMostSignificantBits());
            out.writeLong(copy.getLeastSignificantBits());
            for (long number : new long[] {epoch, shipped, shippedBytes, base, baseBytes, logBytes,
                    time.toEpochMilli()}) {
                out.writeLong(number);
            }
            out.write(digest);
            out.writeBoolean(fence.isPresent());
            if (fence.isPresent()) {
                out.writeUTF(fence.get().host());
                out.writeLong(fence.get().since().toEpochMilli());
                out.writeLong(fence.get().epoch());
            }
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return bytes.toByteArray();
    }

    static ShipState parse(byte @Nullable [] row) throws IOException {
        if (row == null || row.length == 0 || row[0] != FORMAT) {
            throw new MetaDamagedException(
                    "metadata corrupt: the state of the change log is missing, or has an unsupported format");
        }
        var in = new DataInputStream(new ByteArrayInputStream(row, 1, row.length - 1));
        var copy = new UUID(in.readLong(), in.readLong());
        long epoch = in.readLong();
        long shipped = in.readLong();
        long shippedBytes = in.readLong();
        long base = in.readLong();
        long baseBytes = in.readLong();
        long logBytes = in.readLong();
        var time = Instant.ofEpochMilli(in.readLong());
        byte[] digest = in.readNBytes(ShippedObject.DIGEST_LENGTH);
        Optional<Fence> fence = in.readBoolean()
                ? Optional.of(new Fence(in.readUTF(), Instant.ofEpochMilli(in.readLong()), in.readLong()))
                : Optional.empty();
        return new ShipState(copy, epoch, shipped, shippedBytes, digest, base, baseBytes, logBytes, time, fence);
    }
}
