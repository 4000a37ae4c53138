/**
 * What happened on this machine, for people to read later: mounts that came and went, stores that were down, repairs, writes that
 * could not be stored.
 */
@NullMarked
package volsh.event;

import org.jspecify.annotations.NullMarked;
