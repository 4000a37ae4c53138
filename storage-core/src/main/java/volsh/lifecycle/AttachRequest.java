package volsh.lifecycle;

import java.util.Optional;
import volsh.block.StoreUrl;
import volsh.catalog.VolumeSpec;

/**
 * A request to attach a volume from a store.
 *
 * @param volume its name or id; may be empty if there is only one
 * @param as     its name here, if it is to be another
 * @param store  the name of the store here
 * @param force  also if another host seems to use the volume
 */
public record AttachRequest(StoreUrl url, Optional<String> volume, Optional<String> as, Optional<String> store,
        boolean force) {
    public AttachRequest {
        as.ifPresent(name -> VolumeSpec.requireName("volume", name));
        store.ifPresent(name -> VolumeSpec.requireName("store", name));
    }

    /** The only volume there is in this store. */
    public static AttachRequest of(StoreUrl url) {
        return new AttachRequest(url, Optional.empty(), Optional.empty(), Optional.empty(), false);
    }

    /** Follows the progress, and may stop it. */
    public interface Watcher {
        Watcher NONE = new Watcher() {};

        /** More bytes were read. */
        default void read(long bytes) {}

        /** Asked often. */
        default boolean cancelled() {
            return false;
        }
    }
}
