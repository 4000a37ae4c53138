/** What an open volume does beside serving files: its session, collecting garbage, healing. */
@NullMarked
package volsh.care;

import org.jspecify.annotations.NullMarked;
