package volsh.fuse.jnr;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import volsh.fs.Owner;

/** The requesting process: {@code struct fuse_context}. */
final class Caller {
    private static final int SIZE = 40;
    private static final int UID = 8;
    private static final int GID = 12;

    private final LibFuse library;

    Caller(LibFuse library) {
        this.library = library;
    }

    Owner owner() {
        var context = NativeMemory.at(library.fuse_get_context(), SIZE);
        return new Owner(context.get(JAVA_INT, UID), context.get(JAVA_INT, GID));
    }
}
