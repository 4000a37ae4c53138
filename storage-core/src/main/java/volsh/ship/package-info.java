/**
 * The metadata of a volume in its own store, so that it survives the loss of a host. {@link volsh.ship.RecordingEngine}
 * records every committed change in a log; {@link volsh.ship.Shipping} ships the log to the store, with an image of
 * everything now and then; {@link volsh.ship.Restore} restores metadata from it on another machine. The log decides
 * which host may write: its objects are put only where there is none, so the second of two hosts finds its place taken.
 */
@NullMarked
package volsh.ship;

import org.jspecify.annotations.NullMarked;
