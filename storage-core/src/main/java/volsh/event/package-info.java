/** Events on this machine, for people to read later: mounts, unmounts, stores that were down, repairs, failures. */
@NullMarked
package volsh.event;

import org.jspecify.annotations.NullMarked;
