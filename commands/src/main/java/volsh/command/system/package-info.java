/** Commands for the machine itself: {@code sys …} and {@code iostat}. They read and explain kernel statistics. */
@NullMarked
package volsh.command.system;

import org.jspecify.annotations.NullMarked;
