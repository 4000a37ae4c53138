package volsh.lifecycle;

import java.time.Instant;
import java.util.List;
import volsh.catalog.VolumeSpec;
import volsh.ship.ShipperLiveness;

/**
 * A volume that a store has the metadata of.
 *
 * @param spec  what it is, as it was last shipped
 * @param host  who shipped last
 * @param time  when
 * @param bytes how much there is to read to attach it
 * @param users who has it open to write, as far as they say so in the store
 * @param number which of its stores this is, from 1
 */
public record Attachable(VolumeSpec spec, String host, Instant time, long bytes, List<ShipperLiveness> users, int number) {
    public Attachable {
        users = List.copyOf(users);
    }
}
