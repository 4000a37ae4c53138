package volsh.command.complete;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class MatchTest {
    private static List<String> best(String typed, String... words) {
        return Match.best(Stream.of(words).map(word -> Candidate.name(word, "")).toList(), typed).stream()
                .map(Candidate::word).toList();
    }

    @Test
    void wordsThatBeginSoAreWhatIsMeant() {
        assertThat(best("tr", "extra", "training", "tree", "t-r")).containsExactly("training", "tree");
        assertThat(best("", "b", "a")).containsExactly("b", "a");
    }

    @Test
    void elseStartsOfPartsThenInsideThenScattered() {
        assertThat(best("da", "d-x-a", "panda", "dxa", "training-data", "my.dataset"))
                .containsExactly("d-x-a", "my.dataset", "training-data", "panda", "dxa");
        assertThat(best("bs", "blockSize", "absolute", "base")).containsExactly("blockSize", "absolute", "base");
        assertThat(best("net", "n-e-x-t", "imagenet", "newest")).containsExactly("n-e-x-t", "imagenet", "newest");
        assertThat(best("zz", "jazz-z")).containsExactly("jazz-z");
        assertThat(best("qq", "abc")).isEmpty();
    }

    @Test
    void capitalsCountIfSomeAreTyped() {
        assertThat(best("readme", "README.md", "xreadme")).containsExactly("README.md", "xreadme");
        assertThat(best("READ", "xreadme", "a/READ")).containsExactly("a/READ");
    }

    @Test
    void onlyTheLastPieceIsLookedFor() {
        assertThat(best("train:/sh", "train:/a/sh", "train:/x-shards", "eval:/shards"))
                .containsExactly("train:/a/sh", "train:/x-shards");
        assertThat(best("--profile=eo", "--profile=video", "--paging=eo")).containsExactly("--profile=video");
    }

    @Test
    void whatAllShare() {
        assertThat(Match.common(List.of(Candidate.name("abc", ""), Candidate.name("abd", "")))).isEqualTo("ab");
        assertThat(Match.common(List.of())).isEmpty();
    }
}
