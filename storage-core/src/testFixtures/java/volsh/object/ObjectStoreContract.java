package volsh.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every object store keeps. */
public abstract class ObjectStoreContract {
    private ObjectStore store;

    /** An empty one. */
    protected abstract ObjectStore open() throws IOException;

    @BeforeEach
    void openStore() throws IOException {
        store = open();
    }

    @AfterEach
    void closeStore() throws IOException {
        store.close();
    }

    public static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    private ObjectInfo put(String key, String text) throws IOException {
        return store.put(key, bytes(text), ObjectHeaders.NONE, PutCondition.ALWAYS);
    }

    private String text(String key) throws IOException {
        var target = ByteBuffer.allocate(1000);
        store.get(key, 0, target, null);
        return new String(target.array(), 0, target.position(), StandardCharsets.UTF_8);
    }

    private List<String> keys(ObjectQuery query) throws IOException {
        var found = new ArrayList<String>();
        for (var page = store.list(query); ; page = store.list(query.following(page.next().get()))) {
            page.objects().forEach(object -> found.add(object.key()));
            found.addAll(page.prefixes());
            if (page.next().isEmpty()) {
                return found;
            }
        }
    }

    @Test
    void whatIsPutIsReadInRanges() throws IOException {
        put("a/b", "hello world");
        var target = ByteBuffer.allocate(5);
        assertThat(store.get("a/b", 6, target, null)).isEqualTo(5);
        assertThat(new String(target.array(), StandardCharsets.UTF_8)).isEqualTo("world");
        assertThat(store.get("a/b", 9, ByteBuffer.allocate(5), null)).isEqualTo(2);
        assertThat(store.get("a/b", 11, ByteBuffer.allocate(5), null)).isZero();
        var sink = new ByteArrayOutputStream();
        store.get("a/b", 2, 7, null, piece -> sink.writeBytes(array(piece)));
        assertThat(sink.toString(StandardCharsets.UTF_8)).isEqualTo("llo wor");
        assertThatThrownBy(() -> store.get("a/b", 2, 70, null, piece -> { }))
                .isInstanceOf(ObjectChangedException.class).hasMessageContaining("ends before byte 72");
        assertThatThrownBy(() -> store.get("a/b", 20, 1, null, piece -> { }))
                .isInstanceOf(ObjectChangedException.class);
    }

    private static byte[] array(ByteBuffer piece) {
        byte[] bytes = new byte[piece.remaining()];
        piece.get(bytes);
        return bytes;
    }

    @Test
    void anObjectKnowsItsSizeAndHeaders() throws IOException {
        store.put("x", bytes("12345"), ObjectHeaders.of(Map.of("origin", "here")), PutCondition.ALWAYS);
        var info = store.head("x");
        assertThat(info.size()).isEqualTo(5);
        assertThat(info.etag()).isNotEmpty().doesNotContain("\"");
        assertThat(info.metadata()).containsEntry("origin", "here");
        assertThatThrownBy(() -> store.head("y")).isInstanceOf(NoSuchObjectException.class).hasMessageContaining("y");
        assertThatThrownBy(() -> store.get("y", 0, ByteBuffer.allocate(1), null))
                .isInstanceOf(NoSuchObjectException.class);
    }

    @Test
    void aReaderThatExpectsAStateSeesNoOther() throws IOException {
        put("x", "one");
        String etag = store.head("x").etag();
        assertThat(store.get("x", 0, ByteBuffer.allocate(3), etag)).isEqualTo(3);
        put("x", "two");
        assertThatThrownBy(() -> store.get("x", 0, ByteBuffer.allocate(3), etag))
                .isInstanceOf(ObjectChangedException.class).hasMessageContaining("x changed in the bucket");
        assertThatThrownBy(() -> store.get("x", 0, 3, etag, piece -> { })).isInstanceOf(ObjectChangedException.class);
    }

    @Test
    void listingsAreInTheOrderOfBytes() throws IOException {
        var keys = List.of("a!", "a/b", "a/c/d", "a0", "a b&<x>\"%2F+", "b\u00e9", "z/", "\uffee");
        for (String key : keys) {
            put(key, key);
        }
        assertThat(keys(ObjectQuery.all(""))).containsExactlyElementsOf(
                keys.stream().sorted(KeyOrdering.BYTES).toList());
        assertThat(keys(ObjectQuery.all("a/"))).containsExactly("a/b", "a/c/d");
        assertThat(keys(ObjectQuery.directory("a/"))).containsExactly("a/b", "a/c/");
        assertThat(keys(ObjectQuery.directory(""))).contains("a/", "z/", "a0").doesNotContain("a/b");
        for (String key : keys.subList(0, 6)) {
            assertThat(text(key)).isEqualTo(key);
        }
    }

    @Test
    void pagesContinueWhereTheLastOneEnded() throws IOException {
        for (String key : List.of("d/1", "d/2", "d/3", "e", "f/1", "f/2", "g")) {
            put(key, "");
        }
        for (int limit = 1; limit <= 4; limit++) {
            assertThat(keys(new ObjectQuery("", false, "", limit))).as("limit %d", limit)
                    .containsExactly("d/1", "d/2", "d/3", "e", "f/1", "f/2", "g");
            assertThat(keys(new ObjectQuery("", true, "", limit))).as("grouped, limit %d", limit)
                    .containsExactlyInAnyOrder("d/", "e", "f/", "g");
        }
        assertThat(keys(new ObjectQuery("", false, "d/2", 1000))).containsExactly("d/3", "e", "f/1", "f/2", "g");
    }

    @Test
    void objectsAreDeletedTogether() throws IOException {
        var keys = IntStream.range(0, 7).mapToObj(i -> "d/<&>\r\n" + i).toList();
        for (String key : keys) {
            put(key, "x");
        }
        put("kept", "x");
        store.delete(keys);
        store.delete(keys);
        store.delete(List.of("never-there"));
        assertThat(keys(ObjectQuery.all(""))).containsExactly("kept");
    }

    @Test
    void aCopyIsMadeByTheServer() throws IOException {
        store.put("from/\u00e4 b", bytes("copied"), ObjectHeaders.of(Map.of("a", "1")), PutCondition.ALWAYS);
        store.copy("from/\u00e4 b", "to", null);
        assertThat(text("to")).isEqualTo("copied");
        assertThat(store.head("to").metadata()).containsEntry("a", "1");
        assertThatThrownBy(() -> store.copy("none", "to", null)).isInstanceOf(NoSuchObjectException.class);
    }

    @Test
    void anUploadAppearsWhenItIsComplete() throws IOException {
        var random = new Random(1);
        byte[] first = new byte[ObjectUpload.PART_BYTES_MIN];
        random.nextBytes(first);
        try (var upload = store.upload("big", ObjectHeaders.of(Map.of("k", "v")))) {
            upload.part(2, bytes("the end"));
            upload.part(1, ByteBuffer.wrap(first));
            assertThatThrownBy(() -> store.head("big")).isInstanceOf(NoSuchObjectException.class);
            assertThat(store.unfinished("bi")).extracting(UnfinishedUpload::key).containsExactly("big");
            upload.complete(2, PutCondition.ALWAYS);
        }
        assertThat(store.head("big").size()).isEqualTo(first.length + 7L);
        var tail = ByteBuffer.allocate(20);
        assertThat(store.get("big", first.length - 1, tail, null)).isEqualTo(8);
        assertThat(tail.get(0)).isEqualTo(first[first.length - 1]);
        assertThat(store.unfinished("")).isEmpty();
    }

    @Test
    void anUploadThatIsClosedLeavesNothing() throws IOException {
        try (var upload = store.upload("left", ObjectHeaders.NONE)) {
            upload.part(1, bytes("x"));
        }
        assertThat(store.unfinished("")).isEmpty();
        store.upload("other", ObjectHeaders.NONE);
        var left = store.unfinished("");
        assertThat(left).hasSize(1);
        store.discard(left.getFirst());
        store.discard(left.getFirst());
        assertThat(store.unfinished("")).isEmpty();
        assertThatThrownBy(() -> store.head("left")).isInstanceOf(NoSuchObjectException.class);
    }
}
