package volsh.fs;

/** Is told of a part of a file that a sequential reader has passed, and that need not be kept for it. */
public interface PassedRange {
    void passed(long ino, long from, long to);
}
