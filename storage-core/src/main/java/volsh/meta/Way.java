package volsh.meta;

import volsh.fs.Name;

/** A path step by which a caller reached an inode: the directory that has or had it under this name. */
public record Way(long directory, Name name, long ino) {}
