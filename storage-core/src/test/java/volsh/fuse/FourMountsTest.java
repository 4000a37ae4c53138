package volsh.fuse;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;

/** With metadata in a file that the four share. */
@Tag("mount")
final class FourMountsTest extends FourMounts {
    @Override
    void prepare(Path home) {}
}
