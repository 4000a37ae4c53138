package volsh.sync;

import java.util.function.Predicate;
import volsh.tree.CopySettings;

/**
 * What a sync does.
 *
 * @param copies how files are copied; with {@code checksum}, files of the same size are compared by their bytes
 * @param delete whether files that only the target has are removed
 * @param newer whether files that are newer in the target are left as they are
 * @param taken says which paths, relative to the places, take part; others are neither copied nor removed
 */
public record SyncSettings(CopySettings copies, boolean delete, boolean newer, Predicate<String> taken) {
    public static final Predicate<String> ALL = path -> true;
}
