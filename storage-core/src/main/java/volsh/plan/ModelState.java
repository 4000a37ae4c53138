package volsh.plan;

import volsh.unit.ByteSize;

/** The size of a checkpoint of a model. */
public record ModelState(ByteSize weights, ByteSize optimizer, ByteSize total, String how) {
    /** What is stored besides the weights, for each of them. */
    public enum Optimizer {
        NONE(0), SGD(4), ADAM(12);

        /** Adam: two moments and a copy of the weights, in 32 bits; SGD: momentum. */
        private final int bytes;

        Optimizer(int bytes) {
            this.bytes = bytes;
        }
    }

    public static ModelState of(double parameters, Element element, Optimizer optimizer) {
        Figures.positive(parameters, "the number of parameters");
        double weights = parameters * element.bytes();
        double beside = parameters * optimizer.bytes;
        if (weights + beside > Long.MAX_VALUE) {
            throw new IllegalArgumentException("too many parameters");
        }
        return new ModelState(new ByteSize(Math.round(weights)),
                new ByteSize(Math.round(beside)), new ByteSize(Math.round(weights + beside)),
                "%sparameters × (%d B + %d B for %s) = %s".formatted(number(parameters), element.bytes(),
                optimizer.bytes, optimizer.name().toLowerCase(java.util.Locale.ROOT), Figures.size(weights + beside)));
    }

    private static String number(double parameters) {
        return Figures.size(parameters).replace("B", "").stripTrailing() + " ";
    }
}
