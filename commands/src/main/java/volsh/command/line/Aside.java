package volsh.command.line;

import java.io.OutputStream;

/** An output that keeps standard output clean: what is printed goes elsewhere, and only data meant for it goes there. */
public interface Aside {
    /** The real standard output. */
    OutputStream data();
}
