package volsh.bucketfs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import volsh.block.Call;
import volsh.block.Counted.Latency;
import volsh.block.Counted.Traffic;
import volsh.block.RefusedException;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.object.NoSuchObjectException;
import volsh.object.ObjectHeaders;
import volsh.object.ObjectInfo;
import volsh.object.ObjectPage;
import volsh.object.ObjectQuery;
import volsh.object.ObjectStore;
import volsh.object.ObjectUpload;
import volsh.object.PutCondition;
import volsh.object.UnfinishedUpload;
import volsh.unit.LatencyHistogram;

/** The part of a bucket that is mounted: keys below a prefix, without it. Counts requests and measures them. */
public final class MountedObjects implements ObjectStore {
    private final ObjectStore store;
    private final String prefix;
    private final Calls gets = new Calls("get");
    private final Calls puts = new Calls("put");
    private final Calls lists = new Calls("list");
    private final Calls deletes = new Calls("delete");
    private final Calls others = new Calls("head");
    private final LongAdder gotBytes = new LongAdder();
    private final LongAdder putBytes = new LongAdder();

    /** {@code prefix} is empty or ends with a slash. */
    public MountedObjects(ObjectStore store, String prefix) {
        this.store = store;
        this.prefix = prefix;
    }

    private record Calls(String name, LatencyHistogram took, LongAdder failed) {
        Calls(String name) {
            this(name, new LatencyHistogram(), new LongAdder());
        }

        <R> R timed(Call<R> call) throws IOException {
            long began = System.nanoTime();
            try {
                R result = call.run();
                took.add(System.nanoTime() - began);
                return result;
            } catch (NoSuchObjectException answer) {
                took.add(System.nanoTime() - began);
                throw answer;
            } catch (RefusedException refused) {
                failed.increment();
                throw refused.reason() == RefusedException.Reason.DENIED ? denied(refused) : refused;
            } catch (IOException away) {
                failed.increment();
                throw away;
            }
        }

        /** For programs: EACCES. */
        private static FsException denied(RefusedException refused) {
            var denied = new FsException(FsError.ACCESS, String.valueOf(refused.getMessage()));
            denied.initCause(refused);
            return denied;
        }

        void run(Call.Action action) throws IOException {
            timed(() -> {
                action.run();
                return true;
            });
        }
    }

    public Traffic traffic() {
        var got = gets.took.summary();
        return new Traffic(got.count(), gotBytes.sum(), puts.took.summary().count(), putBytes.sum(),
                Stream.of(lists, deletes, others).mapToLong(each -> each.took.summary().count()).sum(), got.total());
    }

    /** How long each kind of request took; those never made are left out. */
    public List<Latency> latencies() {
        return Stream.of(gets, puts, lists, deletes, others)
                .map(each -> new Latency(each.name, each.failed.sum(), each.took.summary()))
                .filter(each -> each.took().count() + each.failed() > 0).toList();
    }

    private ObjectInfo own(ObjectInfo info) {
        return new ObjectInfo(own(info.key()), info.size(), info.modified(), info.etag(), info.metadata());
    }

    private String own(String key) {
        return key.substring(prefix.length());
    }

    @Override
    public ObjectPage list(ObjectQuery query) throws IOException {
        String after = query.after().isEmpty() ? "" : prefix + query.after();
        var page = lists.timed(() -> store.list(
                new ObjectQuery(prefix + query.prefix(), query.grouped(), after, query.limit())));
        return prefix.isEmpty() ? page : new ObjectPage(page.objects().stream().map(this::own).toList(),
                page.prefixes().stream().map(this::own).toList(), page.next().flatMap(this::ownNext));
    }

    private Optional<String> ownNext(String next) {
        if (!next.startsWith(prefix)) {
            throw new IllegalStateException("a listing of %s goes on at %s".formatted(prefix, next));
        }
        return Optional.of(own(next));
    }

    @Override
    public ObjectInfo head(String key) throws IOException {
        return own(others.timed(() -> store.head(prefix + key)));
    }

    @Override
    public int get(String key, long offset, ByteBuffer target, @Nullable String etag) throws IOException {
        int got = gets.timed(() -> store.get(prefix + key, offset, target, etag));
        gotBytes.add(got);
        return got;
    }

    @Override
    public ObjectInfo put(String key, ByteBuffer data, ObjectHeaders headers, PutCondition condition)
            throws IOException {
        int bytes = data.remaining();
        var info = puts.timed(() -> store.put(prefix + key, data, headers, condition));
        putBytes.add(bytes);
        return own(info);
    }

    @Override
    public ObjectUpload upload(String key, ObjectHeaders headers) throws IOException {
        return new Counting(others.timed(() -> store.upload(prefix + key, headers)));
    }

    private final class Counting implements ObjectUpload {
        private final ObjectUpload upload;

        Counting(ObjectUpload upload) {
            this.upload = upload;
        }

        @Override
        public String id() {
            return upload.id();
        }

        @Override
        public void part(int number, ByteBuffer data) throws IOException {
            int bytes = data.remaining();
            puts.run(() -> upload.part(number, data));
            putBytes.add(bytes);
        }

        @Override
        public ObjectInfo complete(int count, PutCondition condition) throws IOException {
            return own(others.timed(() -> upload.complete(count, condition)));
        }

        @Override
        public void close() throws IOException {
            upload.close();
        }
    }

    @Override
    public ObjectInfo copy(String from, String to, @Nullable ObjectHeaders headers) throws IOException {
        return own(others.timed(() -> store.copy(prefix + from, prefix + to, headers)));
    }

    @Override
    public void delete(List<String> keys) throws IOException {
        deletes.run(() -> store.delete(keys.stream().map(prefix::concat).toList()));
    }

    @Override
    public List<UnfinishedUpload> unfinished(String below) throws IOException {
        return others.timed(() -> store.unfinished(prefix + below)).stream()
                .map(each -> new UnfinishedUpload(own(each.key()), each.id(), each.started())).toList();
    }

    @Override
    public void discard(UnfinishedUpload left) throws IOException {
        store.discard(new UnfinishedUpload(prefix + left.key(), left.id(), left.started()));
    }

    @Override
    public String name() {
        return prefix.isEmpty() ? store.name() : store.name() + "/" + prefix.substring(0, prefix.length() - 1);
    }

    @Override
    public void close() throws IOException {
        store.close();
    }
}
