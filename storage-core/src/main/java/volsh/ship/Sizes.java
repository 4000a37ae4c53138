package volsh.ship;

/**
 * How much is handled at once.
 *
 * @param log  bytes of write sets in one log, about
 * @param part bytes of rows in one part of a base, about
 * @param base bytes of logs, as stored, below which a new base is not worth it
 */
record Sizes(long log, int part, long base) {
    static final Sizes STANDARD = new Sizes(8 << 20, 8 << 20, 16 << 20);
}
