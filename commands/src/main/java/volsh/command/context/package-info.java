/** Commands that name a home, so that homes are not confused, and protect it by confirmations. */
@NullMarked
package volsh.command.context;

import org.jspecify.annotations.NullMarked;
