/** The parts of which a volume is put together: engines, stores as one, shipping of metadata, caches. */
package volsh.assembly;
