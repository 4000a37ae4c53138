package volsh.fuse;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import volsh.fs.Attributes;

/**
 * What a name or a node stands for, and for how long the kernel may believe it without asking again.
 *
 * @param attributes null if there is nothing of that name
 */
public record FuseEntry(@Nullable Attributes attributes, Duration valid) {}
