package volsh.doctor;

/**
 * What is examined: a mount, its volume or the URL of its bucket, the number of its stores, and over how many of them a
 * file is spread.
 */
public record Subject(String mount, String volume, int stores, int width) {
    public Subject {
        if (stores < 1 || width < 1) {
            throw new IllegalArgumentException("files are on at least one store: %d of %d".formatted(width, stores));
        }
    }

    boolean isBucket() {
        return isBucket(volume);
    }

    static boolean isBucket(String volume) {
        return volume.contains("://");
    }
}
