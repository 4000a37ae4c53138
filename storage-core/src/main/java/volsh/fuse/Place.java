package volsh.fuse;

import volsh.fs.Name;

/** A name in a directory. */
public record Place(long directory, Name name) {}
