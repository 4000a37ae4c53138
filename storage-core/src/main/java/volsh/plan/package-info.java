/**
 * The arithmetic of storage for training: what a job asks of its storage, what checkpoints cost, what a cache will hit. Only
 * numbers in and numbers out; every answer says how it was computed.
 */
@NullMarked
package volsh.plan;

import org.jspecify.annotations.NullMarked;
