package volsh.imported;

import java.io.IOException;
import volsh.block.StoreUrl;
import volsh.object.ObjectStore;

/** Opens buckets. Credentials come from where those of stores come from; a URL has none. */
@FunctionalInterface
public interface BucketOpener {
    ObjectStore open(StoreUrl url) throws IOException;
}
