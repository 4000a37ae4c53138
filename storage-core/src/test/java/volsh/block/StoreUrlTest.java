package volsh.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import volsh.block.memory.MemoryBlockStore;
import volsh.unit.Percent;

final class StoreUrlTest {
    @ParameterizedTest
    @CsvSource({
        "file:///data/blocks, FILE, /data/blocks, file:///data/blocks",
        "file:///data//blocks/./x/, FILE, /data/blocks/x, file:///data/blocks/x",
        "file:///with%20space, FILE, /with space, file:///with%20space",
        "file:///100%, FILE, /100%, file:///100%",
        "file:///at@home, FILE, /at@home, file:///at@home",
        "s3://bucket, S3, bucket, s3://bucket",
        "s3://bucket/, S3, bucket, s3://bucket",
        "s3://my.bucket/Team_A/run=1, S3, my.bucket/Team_A/run=1, s3://my.bucket/Team_A/run=1",
        "mem://scratch, MEM, scratch, mem://scratch",
        "mem://a?latency=80ms&errors=1%&bandwidth=200MB/s, MEM, a, mem://a?bandwidth=200MB/s&errors=1%&latency=80ms"
    })
    void readsAndPrints(String text, StoreUrl.Scheme scheme, String path, String canonical) {
        StoreUrl url = StoreUrl.of(text);
        assertThat(url.scheme()).isEqualTo(scheme);
        assertThat(url.path()).isEqualTo(path);
        assertThat(url).hasToString(canonical);
        assertThat(StoreUrl.of(canonical)).isEqualTo(url);
    }

    @Test
    void optionsAreTyped() {
        StoreUrl url = StoreUrl.of(
                "s3://bucket/p?endpoint=http://localhost:9000&latency=80ms&concurrency=4&errors=0.5%25&seed=7");
        assertThat(url.option("endpoint")).hasValue("http://localhost:9000");
        assertThat(url.storeOptions().latency().duration()).isEqualTo(Duration.ofMillis(80));
        assertThat(url.storeOptions().concurrency()).hasValue(4);
        assertThat(url.storeOptions().errors()).isEqualTo(new Percent(0.5));
        assertThat(url.storeOptions().seed()).hasValue(7);
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "", "bucket", "/data", "file:/data", "file://relative", "file:///", "file:///a/../b", "file:///a/%2e%2e/b",
        "file:///a%00b", "file:///a%0d%0ab", "gs://bucket", "s3://", "s3://B", "s3://ab", "s3://bucket/../x",
        "s3://bucket//x", "s3://bucket/.x",
        "mem://", "mem://UPPER", "mem://a/b", "mem://a?", "mem://a?latency", "mem://a?latency=", "mem://a?latency=soon",
        "mem://a?errors=200%", "mem://a?bandwidth=fast", "mem://a?concurrency=0", "mem://a?seed=x",
        "mem://a?colour=red",
        "mem://a?endpoint=http://x", "mem://a?latency=1s&latency=2s", "s3://bucket?endpoint=ftp://x",
        "s3://bucket?endpoint=nowhere", "s3://bucket?endpoint=http://10.0.0.1",
        "s3://bucket?endpoint=http://127.0.0.1.evil.com",
        "s3://bucket?path-style=yes", "s3://bucket?hedge=maybe", "s3://bucket?anonymous=1",
        "s3://bucket?anonymous=true&profile=x",
        "s3://bucket?region=US EAST", "s3://bucket?timeout=0s", "s3://bucket?timeout=soon", "s3://bucket?connections=0",
        "file:///a%ff"
    })
    void refusesTheRest(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> StoreUrl.of(text)).withMessageNotContaining("\0");
    }

    @Test
    void bucketsAreReachedAsTheOptionsSay() {
        S3Options usual = StoreUrl.of("s3://bucket/p").s3Options();
        assertThat(usual.endpoint()).isEmpty();
        assertThat(usual.pathStyle()).as("Amazon's names").isFalse();
        S3Options own = StoreUrl.of("s3://bucket?endpoint=http://127.0.0.1:9000&region=us-east-1&profile=x&timeout=3s")
                .s3Options();
        assertThat(own.pathStyle()).as("other servers").isTrue();
        assertThat(own.hedge()).isTrue();
        assertThat(StoreUrl.of("s3://bucket?hedge=off").s3Options().hedge()).isFalse();
        assertThat(own.region()).hasValue("us-east-1");
        assertThat(own.profile()).hasValue("x");
        assertThat(own.timeout()).isEqualTo(Duration.ofSeconds(3));
        assertThat(StoreUrl.of("s3://bucket?endpoint=http://10.0.0.1&insecure=true&path-style=false&connections=7")
                .s3Options()).matches(S3Options::insecure).returns(7, S3Options::connections)
                .returns(false, S3Options::pathStyle);
    }

    @Test
    void optionsAreAddedOnce() {
        StoreUrl url = StoreUrl.of("s3://bucket?region=a");
        assertThat(url.with(new TreeMap<>(Map.of("profile", "x")))).hasToString("s3://bucket?profile=x&region=a");
        assertThatIllegalArgumentException().isThrownBy(() -> url.with(new TreeMap<>(Map.of("region", "b"))))
                .withMessageContaining("region");
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "s3://key:hunter2@bucket/x", "s3://hunter2@bucket", "mem://u:hunter2@a", "file://u:hunter2@/data",
        "s3://bucket?endpoint=https://user:hunter2@host", "s3://bucket?secret=hunter2", "s3://bucket?access-key=hunter2"
    })
    void refusesSecretsWithoutRepeatingThem(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> StoreUrl.of(text)).withMessageNotContaining("hunter2");
    }

    @Test
    void saysWhatIsAllowed() {
        assertThatIllegalArgumentException().isThrownBy(() -> StoreUrl.of("gs://bucket"))
                .withMessage("gs:// is not a valid store URL (try file:///path, s3://bucket/prefix or mem://name)");
        assertThatIllegalArgumentException().isThrownBy(() -> StoreUrl.of("mem://a?colour=red"))
                .withMessageStartingWith("mem:// has no option 'colour' (valid: bandwidth, concurrency, errors, ");
        assertThatIllegalArgumentException().isThrownBy(() -> StoreUrl.of("mem://a?latency=30"))
                .withMessage("option latency: not a duration: '30' (try 30s)");
        assertThatIllegalArgumentException().isThrownBy(() -> StoreUrl.of("mem://" + "a".repeat(2000)))
                .withMessageContaining("2006");
    }

    @Test
    void whatIsPrintedReadsBack() {
        var random = new Random(1);
        for (int i = 0; i < 2_000; i++) {
            var path = new StringBuilder("/");
            random.ints(1 + random.nextInt(20), 0, 20)
                    .forEach(letter -> path.append("ab%2fF& ?#+=@ä\u20ac\"x.-~".charAt(letter)));
            var url = new StoreUrl(StoreUrl.Scheme.FILE, path + "z", new TreeMap<>(Map.of("errors", "1%")));
            assertThat(StoreUrl.of(url.toString())).as(url.toString()).isEqualTo(url);
        }
    }

    @Test
    void optionsWrapAsAsked() {
        var memory = new MemoryBlockStore();
        assertThat(StoreUrl.of("mem://a").storeOptions().wrap(memory)).isSameAs(memory);
        BlockStore faulty = StoreUrl.of("mem://a?latency=1ms&bandwidth=1GB/s&errors=1%").storeOptions().wrap(memory);
        assertThat(faulty).isInstanceOf(Faulty.class);
        assertThat(((Faulty) faulty).delegate()).isInstanceOf(Throttled.class);
        assertThat(((Throttled) ((Faulty) faulty).delegate()).delegate())
                .isEqualTo(new Slow(memory, Duration.ofMillis(1), Duration.ZERO, Pause.REAL));
    }
}
