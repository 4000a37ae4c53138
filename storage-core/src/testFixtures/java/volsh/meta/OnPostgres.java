package volsh.meta;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.provider.ArgumentsSource;
import org.junit.jupiter.params.support.ParameterDeclarations;

/**
 * As {@link OnEveryEngine} with the large counts; else on PostgreSQL alone: for tests that take long and in which
 * metadata is a small part.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ParameterizedClass(name = "{0}")
@ArgumentsSource(OnPostgres.Kinds.class)
@ExtendWith(EngineKind.Closing.class)
public @interface OnPostgres {
    /** Which engines. */
    final class Kinds implements ArgumentsProvider {
        @Override
        public Stream<? extends Arguments> provideArguments(ParameterDeclarations parameters,
                ExtensionContext context) {
            return Boolean.getBoolean("volsh.long") ? Stream.of(EngineKind.values()).map(Arguments::of)
                    : Stream.of(Arguments.of(EngineKind.POSTGRES));
        }
    }
}
