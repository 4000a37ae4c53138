package volsh.ship;

/**
 * How much is handled at once.
 *
 * @param log  approximate bytes of write sets in one log
 * @param part approximate bytes of rows in one part of a base
 * @param base bytes of stored logs below which a new base is not worth it
 */
record Sizes(long log, int part, long base) {
    static final Sizes STANDARD = new Sizes(8 << 20, 8 << 20, 16 << 20);
}
