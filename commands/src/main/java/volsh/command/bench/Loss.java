package volsh.command.bench;

import picocli.CommandLine.ITypeConverter;
import volsh.unit.Percent;

/** The tolerated loss of speed: a change as compare shows it, {@code -10%}, or the loss itself, {@code 10%}. */
final class Loss implements ITypeConverter<Percent> {
    @Override
    public Percent convert(String text) {
        return Percent.of(text.startsWith("-") ? text.substring(1) : text);
    }
}
