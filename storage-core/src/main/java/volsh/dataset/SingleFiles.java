package volsh.dataset;

import java.io.IOException;
import volsh.catalog.Refusal;
import volsh.shard.Field;

/** A batch whose files appear one by one, in a directory that has nothing faster. */
record SingleFiles(DatasetDirectory target, boolean replace) implements FileBatch {
    private static final int SMALL = 1 << 20;

    @Override
    public void add(String name, Field content) throws IOException {
        if (!replace && target.size(name).isPresent()) {
            throw exists(target, name);
        }
        try (var file = target.create(name); var in = content.open()) {
            if (content.size() <= SMALL) {
                file.direct().write(in.readAllBytes());
            } else {
                in.transferTo(file.stream());
            }
            file.commit();
        }
    }

    static Refusal exists(DatasetDirectory target, String name) {
        return new Refusal(Refusal.Reason.CONFLICT, target.shown(name) + ": exists already",
                "to overwrite existing files, add --force");
    }

    @Override
    public void commit() {}

    @Override
    public void close() {}
}
