/** {@code volsh demo}: the product's main job end to end, in a scratch home, with the claims checked on the way. */
package volsh.command.demo;
