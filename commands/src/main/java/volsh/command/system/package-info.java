/** Commands about the machine itself: {@code sys …} and {@code iostat}. They read what the kernel tells, and explain it. */
package volsh.command.system;
