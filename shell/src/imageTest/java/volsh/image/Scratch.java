package volsh.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/** The built image with a home of its own, told what to do in words without blanks. */
record Scratch(Path home) {
    Image.Ran run(String words) throws IOException {
        return Image.built().run(Map.of("VOLSH_HOME", home.toString(), "PATH", "/usr/bin:/bin"), words.split(" "));
    }

    /** What it prints; it must succeed. */
    Image.Ran ok(String words) throws IOException {
        var ran = run(words);
        assertThat(ran.exit()).as(words + "\n" + ran.err()).isZero();
        return ran;
    }
}
