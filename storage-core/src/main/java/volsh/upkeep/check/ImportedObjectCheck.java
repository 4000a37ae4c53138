package volsh.upkeep.check;

import java.io.IOException;
import java.util.Optional;
import volsh.fs.ImportedBlock;

/** Compares objects that files were imported from with what their blocks say. Thread-safe. */
public interface ImportedObjectCheck {
    /** Knows no buckets. */
    ImportedObjectCheck NONE = block -> Optional.of("the bucket of import %d is not known".formatted(block.source()));

    /** How the object differs from what was imported, if it does. @throws IOException if the bucket does not answer */
    Optional<String> difference(ImportedBlock block) throws IOException;
}
