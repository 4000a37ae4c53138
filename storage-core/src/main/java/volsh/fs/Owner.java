package volsh.fs;

/** Who makes a file: the user and group it will belong to. */
public record Owner(int uid, int gid) {
    public static final Owner ROOT = new Owner(0, 0);
}
