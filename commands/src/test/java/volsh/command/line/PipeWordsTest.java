package volsh.command.line;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import volsh.command.man.Topic;
import volsh.command.pipe.Pipes;

/** The pipe commands there are, and those that are completed and explained. */
final class PipeWordsTest {
    @Test
    void everyPipeCommandIsExplained() {
        Topic pipes = Topic.named("pipes").orElseThrow();
        assertThat(pipes.words()).isEqualTo(Pipes.VERBS);
        assertThat(Pipes.VERBS).allMatch(verb -> pipes.text().matches("(?s).*\n  (\\S+ )*.*\\b" + verb + "\\b.*"));
    }
}
