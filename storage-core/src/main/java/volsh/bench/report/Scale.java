package volsh.bench.report;

import java.util.ArrayList;
import java.util.List;

/** Maps values to an axis between 0 and 1, and chooses its ticks. */
sealed interface Scale {
    double at(double value);

    List<Double> ticks();

    /** From 0 to a round number. */
    record Linear(double most, double step) implements Scale {
        private static final int STEPS = 5;

        static Linear to(double largest) {
            double rough = (largest > 0 ? largest : 1) / STEPS;
            double power = Math.pow(10, Math.floor(Math.log10(rough)));
            double step = List.of(1.0, 2.0, 2.5, 5.0, 10.0).stream().map(factor -> factor * power)
                    .filter(each -> each >= rough * 0.999).findFirst().orElseThrow();
            return new Linear(step * Math.ceil(Math.max(largest, step) / step - 1e-9), step);
        }

        /** Like {@link #to}, for bytes: round in KiB, MiB and so on. */
        static Linear ofBytes(double largest) {
            double unit = Math.pow(1024, Math.floor(Math.log(Math.max(1, largest)) / Math.log(1024)));
            var scale = to(largest / unit);
            return new Linear(scale.most() * unit, scale.step() * unit);
        }

        @Override
        public double at(double value) {
            return Math.clamp(value / most, 0, 1);
        }

        @Override
        public List<Double> ticks() {
            var ticks = new ArrayList<Double>();
            for (int i = 0; i * step <= most * 1.0001; i++) {
                ticks.add(i * step);
            }
            return ticks;
        }
    }

    /** From a power of ten to another one. */
    record Logarithmic(int first, int last) implements Scale {
        static Logarithmic over(double smallest, double largest) {
            int first = (int) Math.floor(Math.log10(Math.max(1, smallest)) + 1e-9);
            return new Logarithmic(first,
                    Math.max(first + 1, (int) Math.ceil(Math.log10(Math.max(1, largest)) - 1e-9)));
        }

        @Override
        public double at(double value) {
            return Math.clamp((Math.log10(Math.max(1, value)) - first) / (last - first), 0, 1);
        }

        @Override
        public List<Double> ticks() {
            var ticks = new ArrayList<Double>();
            for (int power = first; power <= last; power++) {
                ticks.add(Math.pow(10, power));
            }
            return ticks;
        }
    }
}
