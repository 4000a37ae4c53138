/** {@code volsh demo}: the product's main job end to end, in a scratch home, with the claims checked on the way. */
@NullMarked
package volsh.command.demo;

import org.jspecify.annotations.NullMarked;
