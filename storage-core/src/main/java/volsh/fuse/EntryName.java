package volsh.fuse;

import volsh.fs.Name;

/** A name in a directory. */
public record EntryName(long directory, Name name) {}
