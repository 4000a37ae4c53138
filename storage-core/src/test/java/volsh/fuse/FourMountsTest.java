package volsh.fuse;

import java.nio.file.Path;

/** With metadata in a file that the four share. */
final class FourMountsTest extends FourMounts {
    @Override
    void prepare(Path home) {}
}
