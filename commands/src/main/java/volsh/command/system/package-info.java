/** Commands for the machine itself: {@code sys …} and {@code iostat}. They read and explain kernel statistics. */
package volsh.command.system;
