package volsh.engine;

/**
 * A mark of everything that is committed to a database, by any process. Equal marks, one taken after the other, mean
 * that nothing was committed in between; nothing else can be read from them.
 */
public record StateMark(long a, long b, long c, long d, long e, long f) {
    public static StateMark of(long number) {
        return new StateMark(number, 0, 0, 0, 0, 0);
    }
}
