package volsh.object;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A bucket in memory that holds any keys, as Amazon does: the servers that tests can start keep keys as paths, and
 * refuse both {@code a} and {@code a/b}.
 */
public final class MemoryObjects implements ObjectStore {
    private final ConcurrentSkipListMap<String, Held> objects = new ConcurrentSkipListMap<>(KeyOrdering.BYTES);
    private final Map<String, Sending> uploads = new ConcurrentHashMap<>();
    private final AtomicLong requests = new AtomicLong();
    private final AtomicLong next = new AtomicLong();

    private final int partMin;

    public MemoryObjects() {
        this(ObjectUpload.PART_BYTES_MIN);
    }

    /** Parts may be as small as {@code partMin}. */
    public MemoryObjects(int partMin) {
        this.partMin = partMin;
    }

    private record Held(byte[] bytes, ObjectInfo info) {}

    /** How many requests there were. */
    public long requests() {
        return requests.get();
    }

    @Override
    public ObjectPage list(ObjectQuery query) {
        requests.incrementAndGet();
        var found = new ArrayList<ObjectInfo>();
        var groups = new ArrayList<String>();
        String from = KeyOrdering.BYTES.compare(query.after(), query.prefix()) < 0 ? query.prefix() : query.after();
        String last = null;
        for (var key = from.isEmpty() ? first() : objects.ceilingKey(from); key != null
                && key.startsWith(query.prefix()); key = objects.higherKey(last(key, query))) {
            String shown = grouped(key, query);
            if (KeyOrdering.BYTES.compare(shown, query.after()) <= 0 && !query.after().isEmpty()) {
                continue;
            }
            if (found.size() + groups.size() == query.limit()) {
                return new ObjectPage(found, groups, Optional.ofNullable(last));
            }
            var held = objects.get(key);
            if (query.grouped() && shown.length() > query.prefix().length() && shown.endsWith("/")) {
                groups.add(shown);
            } else if (held != null) {
                var info = held.info;
                found.add(new ObjectInfo(key, info.size(), info.modified(), info.etag(), Map.of()));
            }
            last = shown;
        }
        return new ObjectPage(found, groups, Optional.empty());
    }

    private @Nullable String first() {
        var first = objects.firstEntry();
        return first == null ? null : first.getKey();
    }

    /** The last key that is shown with this one. */
    private static String last(String key, ObjectQuery query) {
        String shown = grouped(key, query);
        return query.grouped() && shown.endsWith("/") && shown.length() > query.prefix().length()
                ? shown + "\udbff\udfff" : key;
    }

    private static String grouped(String key, ObjectQuery query) {
        int slash = query.grouped() ? key.indexOf('/', query.prefix().length()) : -1;
        return slash < 0 ? key : key.substring(0, slash + 1);
    }

    private Held held(String key) throws NoSuchObjectException {
        requests.incrementAndGet();
        var held = objects.get(key);
        if (held == null) {
            throw new NoSuchObjectException(name(), key);
        }
        return held;
    }

    @Override
    public ObjectInfo head(String key) throws IOException {
        return held(key).info;
    }

    @Override
    public int get(String key, long offset, ByteBuffer target, @Nullable String etag) throws IOException {
        var held = held(key);
        if (etag != null && !held.info.etag().equals(etag)) {
            throw new ObjectChangedException(name(), key, etag);
        }
        int count = (int) Math.clamp(held.bytes.length - offset, 0L, (long) target.remaining());
        target.put(held.bytes, count == 0 ? 0 : (int) offset, count);
        return count;
    }

    @Override
    public synchronized ObjectInfo put(String key, ByteBuffer data, ObjectHeaders headers, PutCondition condition)
            throws IOException {
        requests.incrementAndGet();
        byte[] bytes = new byte[data.remaining()];
        data.duplicate().get(bytes);
        return put(key, bytes, headers, condition);
    }

    private synchronized ObjectInfo put(String key, byte[] bytes, ObjectHeaders headers, PutCondition condition)
            throws IOException {
        var before = objects.get(key);
        boolean met = switch (condition) {
            case PutCondition.Always() -> true;
            case PutCondition.Absent() -> before == null;
            case PutCondition.Matches(var etag) -> before != null && before.info.etag().equals(etag);
        };
        if (!met) {
            throw new ObjectChangedException(name(), key, "expected");
        }
        var info = new ObjectInfo(key, bytes.length, Instant.now(), etag(bytes), headers.metadata());
        objects.put(key, new Held(bytes, info));
        return info;
    }

    private static String etag(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("MD5").digest(bytes));
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException(missing);
        }
    }

    @Override
    public ObjectUpload upload(String key, ObjectHeaders headers) {
        requests.incrementAndGet();
        var upload = new Sending(key, headers, "upload-" + next.incrementAndGet());
        uploads.put(upload.id, upload);
        return upload;
    }

    private final class Sending implements ObjectUpload {
        private final String key;
        private final ObjectHeaders headers;
        private final String id;
        private final TreeMap<Integer, byte[]> parts = new TreeMap<>();

        Sending(String key, ObjectHeaders headers, String id) {
            this.key = key;
            this.headers = headers;
            this.id = id;
        }

        @Override
        public String id() {
            return id;
        }

        @Override
        public synchronized void part(int number, ByteBuffer data) {
            requests.incrementAndGet();
            byte[] bytes = new byte[data.remaining()];
            data.duplicate().get(bytes);
            parts.put(number, bytes);
        }

        @Override
        public synchronized ObjectInfo complete(int count, PutCondition condition) throws IOException {
            requests.incrementAndGet();
            if (parts.size() < count || parts.headMap(count).values().stream()
                    .anyMatch(part -> part.length < partMin)) {
                throw new IOException("%s: parts are missing or too small: %s".formatted(key, parts.keySet()));
            }
            var all = ByteBuffer.allocate(parts.values().stream().mapToInt(part -> part.length).sum());
            parts.values().forEach(all::put);
            var info = put(key, all.array(), headers, condition);
            uploads.remove(id);
            return info;
        }

        @Override
        public void close() {
            uploads.remove(id);
        }
    }

    @Override
    public ObjectInfo copy(String from, String to, @Nullable ObjectHeaders headers) throws IOException {
        var held = held(from);
        return put(to, held.bytes, headers == null ? ObjectHeaders.of(held.info.metadata()) : headers,
                PutCondition.ALWAYS);
    }

    @Override
    public void delete(List<String> keys) {
        requests.incrementAndGet();
        keys.forEach(objects::remove);
    }

    @Override
    public List<UnfinishedUpload> unfinished(String prefix) {
        return uploads.values().stream().filter(each -> each.key.startsWith(prefix))
                .map(each -> new UnfinishedUpload(each.key, each.id, Instant.EPOCH)).toList();
    }

    @Override
    public void discard(UnfinishedUpload left) {
        uploads.remove(left.id());
    }

    @Override
    public String name() {
        return "s3://memory";
    }

    @Override
    public void close() {}
}
