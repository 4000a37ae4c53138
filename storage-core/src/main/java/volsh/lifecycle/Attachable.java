package volsh.lifecycle;

import java.time.Instant;
import java.util.List;
import volsh.catalog.VolumeSpec;
import volsh.ship.ShipperLiveness;

/**
 * A volume that a store has the metadata of.
 *
 * @param spec  its record, as it was last shipped
 * @param host  the host that shipped last
 * @param time  when it shipped
 * @param bytes how much there is to read to attach it
 * @param users the processes that have it open for writing, as far as the store tells
 * @param number which of its stores this is, from 1
 */
public record Attachable(VolumeSpec spec, String host, Instant time, long bytes, List<ShipperLiveness> users,
        int number) {
    public Attachable {
        users = List.copyOf(users);
    }
}
