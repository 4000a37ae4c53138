package volsh.meta;

import volsh.fs.Name;

/** How somebody got to an inode: this directory has it under this name, or had. */
public record Way(long directory, Name name, long ino) {}
