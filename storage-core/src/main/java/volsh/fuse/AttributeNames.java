package volsh.fuse;

import java.nio.charset.StandardCharsets;
import java.util.List;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Owner;

/**
 * The names of extended attributes a mount knows: of users, of root and of security modules. Those of {@code system.}
 * are not among them: access control lists would have to be honoured.
 */
public final class AttributeNames {
    private static final String ROOTS = "trusted.";
    private static final List<String> SPACES = List.of("user.", ROOTS, "security.");

    private AttributeNames() {}

    /** @throws FsException NOT_SUPPORTED in another name space, INVALID without a name in it */
    public static byte[] require(byte[] name) throws FsException {
        var text = text(name);
        if (SPACES.contains(text)) {
            throw new FsException(FsError.INVALID);
        }
        if (SPACES.stream().noneMatch(text::startsWith)) {
            throw new FsException(FsError.NOT_SUPPORTED);
        }
        return name;
    }

    /** May this one see that there is such an attribute? */
    public static boolean isListed(byte[] name, Owner asking) {
        return asking.uid() == 0 || !text(name).startsWith(ROOTS);
    }

    private static String text(byte[] name) {
        return new String(name, StandardCharsets.ISO_8859_1);
    }
}
