package volsh.block.s3;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import volsh.block.Ability;
import volsh.block.Ability.Answer;
import volsh.block.Ability.Kind;
import volsh.block.BlockKey;
import volsh.block.StoreUrl;
import volsh.s3test.OlderServer;
import volsh.s3test.S3Server;

/** Races for a key on a server that overwrites objects despite If-None-Match. */
@Tag("volume")
@Tag("data")
final class WithoutConditionalPutTest {
    private static final BlockKey KEY = new BlockKey("meta/log/0");

    private OlderServer server;
    private String bucket;
    private final List<S3BlockStore> open = new ArrayList<>();

    @BeforeEach
    void serve() throws IOException {
        bucket = S3Server.shared().newBucket();
        server = new OlderServer(S3Server.shared());
    }

    @AfterEach
    void close() {
        open.forEach(S3BlockStore::close);
        server.close();
    }

    private S3BlockStore store(String more) throws IOException {
        var store = S3BlockStore.open(StoreUrl.of("s3://%s?anonymous=true&region=us-east-1&endpoint=%s%s".formatted(
                bucket, server.endpoint(), more)));
        open.add(store);
        return store;
    }

    private static ByteBuffer bytes(int writer) {
        return ByteBuffer.wrap(new byte[] {1, 2, 3, (byte) writer});
    }

    private long winners(String options) throws Exception {
        var writers = new ArrayList<Callable<Boolean>>();
        for (int i = 0; i < 6; i++) {
            int writer = i;
            var store = store(options);
            writers.add(() -> store.putIfAbsent(KEY, bytes(writer)));
        }
        long won = 0;
        try (var threads = Executors.newFixedThreadPool(writers.size())) {
            for (var each : threads.invokeAll(writers)) {
                won += each.get() ? 1 : 0;
            }
        }
        return won;
    }

    @Test
    void oneOfSeveralWritersAtOnceWins() throws Exception {
        assertThat(winners("&checksum=md5&conditional-put=off")).isEqualTo(1);
        var found = ByteBuffer.allocate(4);
        var store = store("&checksum=md5&conditional-put=off");
        store.get(KEY, 0, found);
        int winner = found.get(3);
        assertThat(store.putIfAbsent(KEY, bytes(winner))).as("the winner asks again").isTrue();
        assertThat(store.putIfAbsent(KEY, bytes(winner + 1))).isFalse();
    }

    /** The negative control: a server that ignores the condition lets everybody win who trusts it. */
    @Test
    void withTheConditionAloneSeveralWouldWin() throws Exception {
        assertThat(winners("&checksum=md5")).isGreaterThan(1);
    }

    /** What the weaker fence misses: a put that comes later than the others wait. It is seen the next time. */
    @Test
    void aPutThatComesTooLateIsFoundWhenTheKeyIsAskedForAgain() throws IOException {
        var store = store("&checksum=md5&conditional-put=off");
        assertThat(store.putIfAbsent(KEY, bytes(1))).isTrue();
        store.put(KEY, bytes(2));   // by a writer that found nothing there, and then stood still
        assertThat(store.putIfAbsent(KEY, bytes(1))).isFalse();
    }

    @Test
    void theServerSaysWhatItCanDo() throws IOException {
        assertThat(answers(store(""))).containsExactly(Answer.IGNORED, Answer.NO, Answer.YES, Answer.YES, Answer.NO,
                Answer.UNKNOWN);
        var newer = S3BlockStore.open(StoreUrl.of("s3://%s?anonymous=true&region=us-east-1&endpoint=%s".formatted(
                bucket, S3Server.shared().endpoint())));
        open.add(newer);
        assertThat(answers(newer)).startsWith(Answer.YES, Answer.YES, Answer.YES, Answer.YES, Answer.YES);
        try (var left = newer.list("")) {
            assertThat(left).as("nothing is left of the questions").isEmpty();
        }
    }

    private static List<Answer> answers(S3BlockStore store) throws IOException {
        Set<Kind> all = EnumSet.allOf(Kind.class);
        return store.abilities("probe-0", all).stream().map(Ability::answer).toList();
    }
}
