package volsh.bucket;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import volsh.block.Call;
import volsh.block.RetryLoop;
import volsh.object.NoSuchObjectException;
import volsh.object.ObjectChangedException;
import volsh.object.ObjectHeaders;
import volsh.object.ObjectInfo;
import volsh.object.ObjectPage;
import volsh.object.ObjectQuery;
import volsh.object.ObjectSink;
import volsh.object.ObjectStore;
import volsh.object.ObjectUpload;
import volsh.object.PutCondition;
import volsh.object.UnfinishedUpload;

/**
 * Repeats calls that fail. An absent or changed object is an answer, not a failure. A stream that breaks goes on where
 * it was; a failure of its sink is thrown at once. A conditional put whose first response was lost may report that the
 * object has changed, as it has.
 */
public final class RetryingObjects implements ObjectStore {
    private static final RetryLoop.Answers ANSWERS =
            failure -> failure instanceof NoSuchObjectException || failure instanceof ObjectChangedException;

    private final ObjectStore delegate;
    private final RetryLoop loop;

    public RetryingObjects(ObjectStore delegate, RetryLoop loop) {
        this.delegate = delegate;
        this.loop = loop;
    }

    private <R extends @Nullable Object> R repeat(String what, String key, Call<R> call) throws IOException {
        return loop.repeat(what, key, ANSWERS, call);
    }

    @Override
    public ObjectPage list(ObjectQuery query) throws IOException {
        return repeat("list", query.prefix(), () -> delegate.list(query));
    }

    @Override
    public ObjectInfo head(String key) throws IOException {
        return repeat("look for", key, () -> delegate.head(key));
    }

    @Override
    public int get(String key, long offset, ByteBuffer target, @Nullable String etag) throws IOException {
        int position = target.position();
        return repeat("get", key, () -> delegate.get(key, offset, target.position(position), etag));
    }

    @Override
    public void get(String key, long offset, long length, @Nullable String etag, ObjectSink sink) throws IOException {
        var rest = new Rest(sink);
        while (rest.passed < length) {
            long before = rest.passed;
            repeat("get", key, Call.of(() -> {
                try {
                    delegate.get(key, offset + rest.passed, length - rest.passed, etag, rest);
                } catch (IOException failed) {
                    if (rest.refused == null && rest.passed == before) {
                        throw failed;
                    }
                    rest.broken(failed);    // what was passed on counts: the patience begins anew
                }
            }));
            if (rest.refused != null) {
                throw rest.refused;
            }
        }
    }

    /** What a stream has passed on so far. */
    private static final class Rest implements ObjectSink {
        private final ObjectSink sink;
        private long passed;
        private @Nullable IOException refused;

        Rest(ObjectSink sink) {
            this.sink = sink;
        }

        @Override
        public void write(ByteBuffer piece) throws IOException {
            int count = piece.remaining();
            try {
                sink.write(piece);
            } catch (IOException failed) {
                refused = failed;
                throw failed;
            }
            passed += count;
        }

        /** A failure after which it can go on; others are thrown. */
        void broken(IOException failed) throws IOException {
            if (refused == null && (ANSWERS.include(failed) || Thread.currentThread().isInterrupted())) {
                throw failed;
            }
        }
    }

    @Override
    public ObjectInfo put(String key, ByteBuffer data, ObjectHeaders headers, PutCondition condition)
            throws IOException {
        return repeat("put", key, () -> delegate.put(key, data, headers, condition));
    }

    @Override
    public ObjectUpload upload(String key, ObjectHeaders headers) throws IOException {
        return new RetryingUpload(key, repeat("begin the upload of", key, () -> delegate.upload(key, headers)));
    }

    private final class RetryingUpload implements ObjectUpload {
        private final String key;
        private final ObjectUpload upload;

        RetryingUpload(String key, ObjectUpload upload) {
            this.key = key;
            this.upload = upload;
        }

        @Override
        public String id() {
            return upload.id();
        }

        @Override
        public boolean has(int number, long length) {
            return upload.has(number, length);
        }

        @Override
        public void part(int number, ByteBuffer data) throws IOException {
            repeat("put part %d of".formatted(number), key, Call.of(() -> upload.part(number, data)));
        }

        @Override
        public ObjectInfo complete(int count, PutCondition condition) throws IOException {
            return repeat("complete the upload of", key, () -> upload.complete(count, condition));
        }

        @Override
        public void close() throws IOException {
            upload.close();
        }
    }

    @Override
    public ObjectInfo copy(String from, String to, @Nullable ObjectHeaders headers) throws IOException {
        return repeat("copy", from, () -> delegate.copy(from, to, headers));
    }

    @Override
    public void delete(List<String> keys) throws IOException {
        repeat("delete", keys.size() + " objects", Call.of(() -> delegate.delete(keys)));
    }

    @Override
    public List<UnfinishedUpload> unfinished(String prefix) throws IOException {
        return repeat("list uploads to", prefix, () -> delegate.unfinished(prefix));
    }

    @Override
    public Optional<ObjectUpload> resume(UnfinishedUpload left, Map<Integer, String> crc32c) throws IOException {
        var found = repeat("list the parts of", left.key(), () -> delegate.resume(left, crc32c));
        return found.map(upload -> new RetryingUpload(left.key(), upload));
    }

    @Override
    public void discard(UnfinishedUpload left) throws IOException {
        repeat("abort the upload of", left.key(), Call.of(() -> delegate.discard(left)));
    }

    @Override
    public String name() {
        return delegate.name();
    }

    @Override
    public void close() throws IOException {
        delegate.close();
    }
}
