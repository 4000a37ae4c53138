package volsh.volume;

import java.time.InstantSource;
import java.util.Optional;
import volsh.assembly.CacheSettings;
import volsh.catalog.Access;
import volsh.catalog.Moment;
import volsh.writeback.Writeback;

/**
 * How a volume is to be opened.
 *
 * @param purpose   tells others why the volume is in use
 * @param times     dates what changes; the clock of the machine if it is empty
 * @param longLived whether the volume stays open: if it is open for writing, it also stores what dead processes left in
 *                  their journals
 * @param writeback for a volume that stays open: blocks wait in a journal on a local disk
 * @param moment    the past state to read, instead of the volume as it is
 */
public record OpeningRequest(
        String volume, Access access, String purpose, Optional<InstantSource> times, CacheSettings caching,
        boolean longLived, Optional<Writeback> writeback, Optional<Moment> moment) {

    /** Opens the volume for a short time, without a cache. */
    public static OpeningRequest of(String volume, Access access, String purpose) {
        return new OpeningRequest(volume, access, purpose,
                Optional.empty(), CacheSettings.NONE, false, Optional.empty(), Optional.empty());
    }

    /** Opens the volume as it was, to read it; what it was then is kept until it is closed. */
    public static OpeningRequest past(String volume, Moment moment, String purpose) {
        return new OpeningRequest(volume, Access.READ, purpose,
                Optional.empty(), CacheSettings.NONE, false, Optional.empty(), Optional.of(moment));
    }

    public OpeningRequest dated(InstantSource clock) {
        return new OpeningRequest(volume, access, purpose, Optional.of(clock), caching, longLived, writeback, moment);
    }

    public OpeningRequest cached(CacheSettings settings) {
        return new OpeningRequest(volume, access, purpose, times, settings, longLived, writeback, moment);
    }

    /** The volume stays open, and stores blocks at once. */
    public OpeningRequest lasting() {
        return lasting(Optional.empty());
    }

    /** The volume stays open, and may write back. */
    public OpeningRequest lasting(Optional<Writeback> settings) {
        return new OpeningRequest(volume, access, purpose, times, caching, true, settings, moment);
    }

    boolean writes() {
        return access.writes();
    }

    boolean keepsJournals() {
        return longLived && writes();
    }
}
