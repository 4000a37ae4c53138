package volsh.fs;

/** The user and group that a new file will belong to. */
public record Owner(int uid, int gid) {
    public static final Owner ROOT = new Owner(0, 0);
}
