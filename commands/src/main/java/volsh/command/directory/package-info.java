/**
 * The working directory of a session: {@code use}, {@code cd} and {@code pwd}, and the paths that are relative to it.
 * A relative path becomes a full {@code VOLUME:/path} before its command is parsed, so that no command knows of it and
 * every message names the whole path.
 */
@NullMarked
package volsh.command.directory;

import org.jspecify.annotations.NullMarked;
