/**
 * The built-in commands: version, help, man, completion, and the hidden ones that scripts and the build
 * call.
 */
package volsh.command.builtin;
