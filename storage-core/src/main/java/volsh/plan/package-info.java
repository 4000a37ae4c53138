/**
 * The arithmetic of storage for training: what a job needs from its storage, what checkpoints cost, what a cache will
 * hit. Numbers in, numbers out; every result explains how it was computed.
 */
@NullMarked
package volsh.plan;

import org.jspecify.annotations.NullMarked;
