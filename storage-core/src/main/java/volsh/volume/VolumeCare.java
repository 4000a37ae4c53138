package volsh.volume;

import java.util.Optional;
import volsh.assembly.BackgroundTasks;
import volsh.care.Housekeeping;
import volsh.ship.Shipping;

/**
 * What an open volume does beside serving files.
 *
 * @param housekeeping gives back what was deleted; empty for a volume that is only read
 * @param needed       the oldest past state in use here; empty without a session
 */
record VolumeCare(
        VolumeThreads threads, BackgroundTasks tasks, Shipping shipping, Optional<Housekeeping> housekeeping,
        Optional<NeededTicks> needed, DurabilityProbe durability, MetDamage damage) {}
