package volsh.fuse;

import java.nio.charset.StandardCharsets;
import java.util.List;
import volsh.fs.AccessList;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Owner;

/**
 * The extended attribute names that a mount supports: user, trusted and security; and those of access control lists,
 * on mounts whose kernel enforces these.
 */
public final class AttributeNames {
    private static final String ROOTS = "trusted.";
    private static final List<String> SPACES = List.of("user.", ROOTS, "security.");

    private AttributeNames() {}

    /**
     * {@code withLists} if access control lists are supported.
     * @throws FsException NOT_SUPPORTED in another name space, INVALID without a name in it
     */
    public static byte[] require(byte[] name, boolean withLists) throws FsException {
        if (withLists && isList(name)) {
            return name;
        }
        var text = text(name);
        if (SPACES.contains(text)) {
            throw new FsException(FsError.INVALID);
        }
        if (SPACES.stream().noneMatch(text::startsWith)) {
            throw new FsException(FsError.NOT_SUPPORTED);
        }
        return name;
    }

    /** Whether this user may see that there is such an attribute. */
    public static boolean isListed(byte[] name, Owner asking, boolean withLists) {
        return (withLists || !isList(name)) && (asking.uid() == 0 || !text(name).startsWith(ROOTS));
    }

    private static boolean isList(byte[] name) {
        return AccessList.isAccess(name) || AccessList.isDefault(name);
    }

    private static String text(byte[] name) {
        return new String(name, StandardCharsets.ISO_8859_1);
    }
}
