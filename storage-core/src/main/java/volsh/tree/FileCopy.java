package volsh.tree;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import volsh.block.Bandwidth;
import volsh.block.UnavailableException;
import volsh.fs.NoSpaceException;
import volsh.object.ObjectSink;
import volsh.transfer.TransferTally;

/**
 * Copies one file: by the server if it can, else by streams, several at once for a large one. Memory is a piece per
 * stream, or a part where parts are sent whole, of which {@link #MEMORY} bytes exist at most.
 */
final class FileCopy {
    private static final int ATTEMPTS = 3;
    private static final long MEMORY = 128L << 20;

    private final FileTree source;
    private final FileTree target;
    private final CopySettings settings;
    private final PartQueue queue;
    private final TransferTally tally;
    private final Optional<Bandwidth> limit;
    private final PartBuffers buffers = new PartBuffers(MEMORY);

    FileCopy(FileTree source, FileTree target, CopySettings settings, PartQueue queue, TransferTally tally,
            Optional<Bandwidth> limit) {
        this.source = source;
        this.target = target;
        this.settings = settings;
        this.queue = queue;
        this.tally = tally;
        this.limit = limit;
    }

    void copy(TreeEntry file, String to) throws IOException {
        var entry = entry(file, to);
        for (int attempt = 1; ; attempt++) {
            try {
                if (source.copyTo(file, target, entry)) {
                    tally.moved(file.size());
                } else {
                    tryCopy(file, entry);
                }
                tally.file(entry.size());
                return;
            } catch (EntryChangedException changed) {
                if (attempt == ATTEMPTS) {
                    throw changed;
                }
                var now = source.find(file.path()).filter(TreeEntry::isRegular);
                file = now.orElseThrow(() -> changed);
                entry = entry(file, to);
            } catch (MismatchException damaged) {
                if (attempt == ATTEMPTS) {
                    throw damaged;
                }
            }
        }
    }

    private NewEntry entry(TreeEntry file, String to) {
        boolean kept = source.keepsAttributes();
        return new NewEntry(to, file.size(), kept ? file.attributes().mode() & 0777 : -1, file.modified(),
                kept && !target.keepsAttributes() ? OriginalTime.of(file.modified()) : Map.of(), settings.part(), "");
    }

    /** Names the state that is read; a small file begins anew. */
    private String origin(TreeEntry file, TreeReader reader) throws IOException {
        String state = reader.size() > settings.part() ? reader.state() : "";
        return state.isEmpty() ? "" : source.name(file.path()) + ' ' + state + ' ' + reader.size();
    }

    private void tryCopy(TreeEntry file, NewEntry planned) throws IOException {
        try (var reader = source.open(file)) {
            var verified = new CopyVerification(source, file, settings.checksum());
            var metadata = new HashMap<>(planned.metadata());
            metadata.putAll(verified.metadata(reader));
            var entry = planned.withSize(reader.size()).withMetadata(metadata)
                    .withOrigin(origin(file, reader));
            try (var writer = target.create(entry)) {
                try {
                    write(reader, writer, verified);
                    reader.requireUnchanged();
                    verified.require(target, writer, entry);
                    writer.commit();
                } catch (IOException wrong) {
                    if (!mayGoOn(wrong)) {
                        writer.discard();
                    }
                    throw wrong;
                }
            }
        }
    }

    /** Whether what is written may be of use to another attempt: after a request to stop, or a server that is away. */
    private static boolean mayGoOn(IOException failed) {
        return failed instanceof InterruptedIOException || failed instanceof ClosedByInterruptException
                || failed instanceof UnavailableException && !NoSpaceException.isBehind(failed);
    }

    private void write(TreeReader reader, TreeWriter writer, CopyVerification verified) throws IOException {
        boolean taken = source instanceof VolumeTree && writer.take((offset, range) -> {
            int length = range.remaining();
            reader.read(offset, length, passing(range::put, null));
            tally.moved(length);
        });
        if (taken) {
            return;
        }
        if (writer.part() > 0) {
            inWholeParts(reader, writer, verified);
        } else {
            inStreams(reader, writer, verified);
        }
    }

    private void inWholeParts(TreeReader reader, TreeWriter writer, CopyVerification verified) throws IOException {
        int count = Math.toIntExact(Math.ceilDiv(reader.size(), (long) writer.part()));
        each(count, part -> {
            long at = (long) part * writer.part();
            int length = (int) Math.min(writer.part(), reader.size() - at);
            if (count > 1 && writer.isWritten(at, length)) {
                tally.moved(length);
                return;
            }
            var buffer = buffers.take(length);
            try {
                reader.read(at, length, passing(buffer::put, count == 1 ? verified : null));
                verified.requireStream(count == 1);
                writer.write(at, buffer.flip());
                tally.moved(length);
            } finally {
                buffers.giveBack(buffer);
            }
        });
    }

    private void inStreams(TreeReader reader, TreeWriter writer, CopyVerification verified) throws IOException {
        int count = Math.toIntExact(Math.ceilDiv(reader.size(), settings.part()));
        each(count, part -> {
            long at = part * settings.part();
            long length = Math.min(settings.part(), reader.size() - at);
            if (count > 1 && writer.isWritten(at, length)) {
                tally.moved(length);
                return;
            }
            var stream = new Stream(writer, at, count > 1);
            reader.read(at, length, passing(stream, count == 1 ? verified : null));
            verified.requireStream(count == 1);
            if (count > 1) {
                writer.written(at, length, stream.crc.getValue());
            }
        });
    }

    private void each(int count, PartQueue.PartWork work) throws IOException {
        if (count == 1) {
            work.run(0);
        } else if (count > 1) {
            queue.runAll(count, work);
        }
    }

    /** Checks for a request to stop, and waits for the limit, before pieces are passed on. */
    private ObjectSink passing(ObjectSink sink, @Nullable CopyVerification verified) {
        return piece -> {
            tally.check();
            if (limit.isPresent()) {
                limit.get().send(piece.remaining());
            }
            if (verified != null) {
                verified.take(piece.duplicate());
            }
            sink.write(piece);
        };
    }

    /** Writes pieces one behind the other. */
    private final class Stream implements ObjectSink {
        private final TreeWriter writer;
        private final boolean summed;
        private final CRC32C crc = new CRC32C();
        private long at;

        Stream(TreeWriter writer, long at, boolean summed) {
            this.writer = writer;
            this.at = at;
            this.summed = summed;
        }

        @Override
        public void write(ByteBuffer piece) throws IOException {
            int count = piece.remaining();
            if (summed) {
                crc.update(piece.duplicate());
            }
            writer.write(at, piece);
            at += count;
            tally.moved(count);
        }
    }
}
