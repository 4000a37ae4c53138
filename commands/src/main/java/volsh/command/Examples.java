package volsh.command;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Lines that can be pasted and run, each beginning with {@code volsh}. Help and manual pages show them first, and tests
 * run them, so they stay true.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface Examples {
    String[] value();
}
