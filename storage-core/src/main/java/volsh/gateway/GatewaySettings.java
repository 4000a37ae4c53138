package volsh.gateway;

import java.util.List;
import volsh.fs.Owner;

/**
 * What a gateway serves.
 *
 * @param domain     requests to {@code BUCKET.domain} are about that bucket; empty if only paths name buckets
 * @param cacheBytes memory for blocks that were read, for each volume
 * @param owner      of the files that it makes
 */
public record GatewaySettings(List<String> volumes, boolean readOnly, String domain, long cacheBytes, Owner owner) {
    public GatewaySettings {
        volumes = List.copyOf(volumes);
    }
}
