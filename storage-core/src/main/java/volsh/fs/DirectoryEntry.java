package volsh.fs;

/** A name in a directory and what it leads to. */
public record DirectoryEntry(Name name, long ino, FileKind kind) {}
