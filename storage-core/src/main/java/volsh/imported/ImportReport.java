package volsh.imported;

import java.util.Optional;
import volsh.meta.ImportedFiles.Outcome;

/**
 * What an import did, or would do.
 *
 * @param objects how many were listed
 * @param files made, and the bytes of their objects
 * @param present how many were files already, and unchanged
 * @param replaced how many files follow an object that changed
 * @param changed how many objects changed since they were imported; their files stay as they are
 * @param removed how many files are gone like their objects
 * @param refused how many objects are no file, each of which was reported
 * @param directories made
 * @param lists requests to the bucket; there are no others
 * @param resumed the key behind which an interrupted import went on
 */
public record ImportReport(
        long objects, long files, long bytes, long present, long replaced, long changed, long removed, long refused,
        long directories, long lists, Optional<String> resumed, boolean complete) {
    public static final ImportReport NOTHING = new ImportReport(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, Optional.empty(), false);

    /** With another request to the bucket. */
    public ImportReport plusRequest() {
        return listed(0);
    }

    ImportReport listed(long more) {
        return new ImportReport(objects + more, files, bytes, present, replaced, changed, removed, refused, directories,
                lists + 1, resumed, complete);
    }

    ImportReport plus(Outcome outcome, long size) {
        boolean made = outcome == Outcome.CREATED;
        boolean follows = outcome == Outcome.REPLACED;
        return new ImportReport(objects, files + (made ? 1 : 0), bytes + (made || follows ? size : 0),
                present + (outcome == Outcome.PRESENT ? 1 : 0), replaced + (follows ? 1 : 0),
                changed + (outcome == Outcome.CHANGED ? 1 : 0), removed, refused, directories, lists, resumed,
                complete);
    }

    ImportReport plusRefused() {
        return new ImportReport(objects, files, bytes, present, replaced, changed, removed, refused + 1, directories,
                lists, resumed, complete);
    }

    /** A file that was imported gives way to a directory. */
    ImportReport displaced(long size) {
        return new ImportReport(objects, Math.max(0, files - 1), Math.max(0, bytes - size), present, replaced, changed,
                removed, refused + 1, directories, lists, resumed, complete);
    }

    ImportReport plusRemoved() {
        return new ImportReport(objects, files, bytes, present, replaced, changed, removed + 1, refused, directories,
                lists, resumed, complete);
    }

    ImportReport plusDirectory() {
        return new ImportReport(objects, files, bytes, present, replaced, changed, removed, refused, directories + 1,
                lists, resumed, complete);
    }

    ImportReport resumedAfter(String key) {
        return new ImportReport(objects, files, bytes, present, replaced, changed, removed, refused, directories, lists,
                key.isEmpty() ? Optional.empty() : Optional.of(key), complete);
    }

    ImportReport completed() {
        return new ImportReport(objects, files, bytes, present, replaced, changed, removed, refused, directories, lists,
                resumed, true);
    }
}
