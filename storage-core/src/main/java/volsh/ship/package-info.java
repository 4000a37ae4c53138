/**
 * The metadata of a volume in its own store, so that a host that dies does not take the bucket with it. {@link
 * volsh.ship.RecordingEngine} leaves every committed change in a log; {@link volsh.ship.Shipping} carries the log to the
 * store, with an image of everything now and then; {@link volsh.ship.Restore} makes metadata of it on another machine. The
 * log decides who may write: its objects are put only where there is none, so of two hosts one finds its place taken.
 */
package volsh.ship;
