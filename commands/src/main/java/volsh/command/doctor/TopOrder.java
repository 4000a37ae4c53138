package volsh.command.doctor;

import java.util.Comparator;
import java.util.List;
import java.util.function.ToDoubleFunction;
import volsh.command.console.KeyInput;

/** In which order {@code top} shows the mounts. The arrow keys change it. */
record TopOrder(By by, boolean descending) {
    static final TopOrder USUAL = new TopOrder(By.NAME, false);

    /** What mounts are sorted by; equal ones by their names. */
    enum By {
        NAME("name", _ -> 0),
        READ("read", Activity::readRate),
        WRITTEN("written", activity -> activity.perSecond(activity.sample().writtenBytes())),
        REQUESTS("requests", Activity::operations),
        STORE("store", activity -> activity.perSecond(activity.sample().gotBytes())),
        RISK("at risk", activity -> activity.risk().bytes());

        private final String word;
        private final ToDoubleFunction<Activity> value;

        By(String word, ToDoubleFunction<Activity> value) {
            this.word = word;
            this.value = value;
        }
    }

    /** Left and right choose the column, numbers largest first; up and down the direction. */
    TopOrder after(KeyInput.Key key) {
        By[] all = By.values();
        return switch (key) {
            case RIGHT -> by(all[(by.ordinal() + 1) % all.length]);
            case LEFT -> by(all[(by.ordinal() + all.length - 1) % all.length]);
            case UP -> new TopOrder(by, false);
            case DOWN -> new TopOrder(by, true);
            case QUIT, OTHER -> this;
        };
    }

    private static TopOrder by(By chosen) {
        return new TopOrder(chosen, chosen != By.NAME);
    }

    List<Activity> of(List<Activity> mounts) {
        Comparator<Activity> names = Comparator.comparing(Activity::mount);
        Comparator<Activity> order = by == By.NAME ? names : Comparator.comparingDouble(by.value);
        return mounts.stream().sorted((descending ? order.reversed() : order).thenComparing(names)).toList();
    }

    @Override
    public String toString() {
        return by.word + (descending ? ", largest first" : "");
    }
}
