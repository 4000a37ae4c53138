package volsh.lifecycle;

import java.util.Optional;
import volsh.block.StoreUrl;
import volsh.catalog.VolumeSpec;

/**
 * A wish to attach a volume from a store.
 *
 * @param volume its name or id; may be empty where there is only one
 * @param as     what it shall be called here, unless as it was
 * @param store  what the store shall be called here
 * @param force  also when somebody seems to use it
 */
public record AttachRequest(StoreUrl url, Optional<String> volume, Optional<String> as, Optional<String> store, boolean force) {
    public AttachRequest {
        as.ifPresent(name -> VolumeSpec.requireName("volume", name));
        store.ifPresent(name -> VolumeSpec.requireName("store", name));
    }

    /** The only volume there is in this store. */
    public static AttachRequest of(StoreUrl url) {
        return new AttachRequest(url, Optional.empty(), Optional.empty(), Optional.empty(), false);
    }

    /** Who watches, and may stop it. */
    public interface Watcher {
        Watcher NONE = new Watcher() {};

        /** So many more bytes were read. */
        default void read(long bytes) {}

        /** Asked often. */
        default boolean cancelled() {
            return false;
        }
    }
}
