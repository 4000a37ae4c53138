/** The commands that serve volumes over S3, and those about their access keys. */
@NullMarked
package volsh.command.gateway;

import org.jspecify.annotations.NullMarked;
