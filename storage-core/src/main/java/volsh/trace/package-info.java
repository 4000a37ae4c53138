/**
 * Traces of the requests of programs to a mount: reading them, replaying them elsewhere, and predicting the hits of a
 * cache of another size.
 */
package volsh.trace;
