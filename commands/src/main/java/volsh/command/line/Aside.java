package volsh.command.line;

import java.io.OutputStream;

/** An output that keeps standard output clean: prints go elsewhere, only data meant for it goes there. */
public interface Aside {
    /** The real standard output. */
    OutputStream data();
}
