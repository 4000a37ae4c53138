package volsh.shell;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class AheadTest {
    @ParameterizedTest
    @ValueSource(strings = {"data:/", "data:", "data:/a/b:c", "data@v1:/a"})
    void knowsAPathInAVolume(String word) {
        assertThat(Ahead.isInAVolume(word)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "data", ":/", "/tmp/a:b", "./a:b", "--at=10:00", "s3://bucket/prefix",
            "http://127.0.0.1:9000", "postgres://u@h/d#v"})
    void andWhatIsNone(String word) {
        assertThat(Ahead.isInAVolume(word)).isFalse();
    }
}
