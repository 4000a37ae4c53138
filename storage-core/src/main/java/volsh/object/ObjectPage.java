package volsh.object;

import java.util.List;
import java.util.Optional;

/**
 * A page of a listing: objects and common prefixes, each in order.
 *
 * @param next what {@link ObjectQuery#following} takes to go on; empty on the last page
 */
public record ObjectPage(List<ObjectInfo> objects, List<String> prefixes, Optional<String> next) {
    public ObjectPage {
        objects = List.copyOf(objects);
        prefixes = List.copyOf(prefixes);
    }
}
