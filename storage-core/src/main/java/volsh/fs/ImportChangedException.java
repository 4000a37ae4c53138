package volsh.fs;

import java.io.IOException;
import java.util.Optional;

/** An imported object is no longer in the state in which it was imported: its bytes are not those of the file. */
public final class ImportChangedException extends IOException {
    private static final long serialVersionUID = 1;

    /** {@code found} is its ETag now; empty if it is gone. */
    public ImportChangedException(String bucket, ImportedBlock block, Optional<String> found) {
        super("%s/%s %s since the import (imported with ETag %s, %s)".formatted(bucket, block.key(),
                found.isPresent() ? "changed in the bucket" : "was deleted from the bucket", block.etag(),
                found.map(etag -> "now " + etag).orElse("now missing")));
    }
}
