package volsh.bucket;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import volsh.block.StoreUrl;
import volsh.object.ObjectHeaders;
import volsh.object.ObjectInfo;
import volsh.object.ObjectQuery;
import volsh.object.ObjectStore;
import volsh.object.PutCondition;
import volsh.s3test.S3Server;

/** More objects than a page of a listing, or a request to delete, may have. */
@Tag("volume")
final class ManyObjectsTest {
    private static final int COUNT = 1_100;

    @Test
    void listedInPagesAndDeletedTogether() throws Exception {
        var server = S3Server.shared();
        try (var store = OpenBuckets.open(StoreUrl.of("s3://%s?endpoint=%s&anonymous=true"
                .formatted(server.newBucket(), server.endpoint())))) {
            try (var threads = Executors.newFixedThreadPool(16)) {
                for (int i = 0; i < COUNT; i++) {
                    String key = "many/%05d".formatted(i);
                    threads.submit(() -> store.put(key, ByteBuffer.allocate(0), ObjectHeaders.NONE,
                            PutCondition.ALWAYS));
                }
            }
            assertThat(keys(store)).hasSize(COUNT).isEqualTo(
                    IntStream.range(0, COUNT).mapToObj("many/%05d"::formatted).toList());
            store.delete(keys(store));
            assertThat(keys(store)).isEmpty();
        }
    }

    private static List<String> keys(ObjectStore store) throws IOException {
        var found = new ArrayList<String>();
        for (var page = store.list(ObjectQuery.all("")); ;
                page = store.list(ObjectQuery.all("").following(page.next().get()))) {
            page.objects().stream().map(ObjectInfo::key).forEach(found::add);
            if (page.next().isEmpty()) {
                return found;
            }
        }
    }
}
