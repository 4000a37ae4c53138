/**
 * The built-in commands: version, help, man, completion, and the hidden ones that scripts and the build
 * call.
 */
@NullMarked
package volsh.command.builtin;

import org.jspecify.annotations.NullMarked;
