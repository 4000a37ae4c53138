package volsh.fs;

/** A name in a directory and its inode. */
public record DirectoryEntry(Name name, long ino, FileKind kind) {}
