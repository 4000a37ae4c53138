package volsh.tree;

import java.io.IOException;

/** A file changed while it was read: its copy would be none. */
public final class EntryChangedException extends IOException {
    private static final long serialVersionUID = 1;

    public EntryChangedException(String name) {
        super("%s changed while it was being read".formatted(name));
    }
}
