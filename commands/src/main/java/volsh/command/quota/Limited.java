package volsh.command.quota;

import java.io.IOException;
import java.util.Optional;
import volsh.catalog.VolumePath;
import volsh.command.failure.CommandFailure;
import volsh.fs.FileKind;
import volsh.fs.ShellWord;
import volsh.meta.Namespace;
import volsh.meta.Quotas;
import volsh.quota.Account;
import volsh.volume.Volume;

/** The object of a quota: {@code VOLUME}, {@code VOLUME:/directory}, or an owner's files in {@code VOLUME}. */
record Limited(String volume, Optional<String> path, Optional<Account> owner) {
    static Limited of(String text, OwnerOptions options) {
        var owner = options.account();
        if (!text.contains(":")) {
            return new Limited(text, Optional.empty(), owner);
        }
        var place = VolumePath.of(text);
        boolean root = place.path().chars().allMatch(letter -> letter == '/');
        if (owner.isPresent() && !root) {
            throw CommandFailure.usage("quotas of users and groups apply to a whole volume, not to a directory")
                    .hint("volsh quota set %s --%s 2TiB".formatted(place.volume(), OwnerOptions.words(owner.get())));
        }
        return new Limited(place.volume(), root ? Optional.empty() : Optional.of(place.path()), owner);
    }

    /** The directory; empty for the whole volume and for owners. */
    Optional<Long> directory(Volume open) throws IOException {
        if (path.isEmpty()) {
            return Optional.empty();
        }
        var found = open.paths().resolve(path.get());
        if (found.kind() != FileKind.DIRECTORY) {
            throw CommandFailure.usage("%s is not a directory: quotas apply to directories, volumes, users and groups"
                    .formatted(this));
        }
        return found.ino() == Namespace.ROOT ? Optional.empty() : Optional.of(found.ino());
    }

    Optional<Quotas.Status> status(Volume open) throws IOException {
        if (owner.isPresent()) {
            return open.quotas().of(owner.get());
        }
        var directory = directory(open);
        return directory.isPresent() ? open.quotas().of(directory.get()) : open.quotas().ofVolume();
    }

    void set(Volume open, long bytes, long inodes, Quotas.Watcher watcher) throws IOException {
        var directory = directory(open);
        if (owner.isPresent()) {
            open.quotas().set(owner.get(), bytes, inodes, watcher);
        } else if (directory.isPresent()) {
            open.quotas().set(directory.get(), bytes, inodes, watcher);
        } else {
            open.quotas().set(bytes, inodes);
        }
    }

    void remove(Volume open, Quotas.Watcher watcher) throws IOException {
        var directory = directory(open);
        if (owner.isPresent()) {
            open.quotas().removeOwner(owner.get());
        } else if (directory.isPresent()) {
            open.quotas().remove(directory.get(), watcher);
        } else {
            open.quotas().remove();
        }
    }

    QuotaRow row(Quotas.Status status) {
        return QuotaRow.of(place(), status);
    }

    private String place() {
        return volume + path.map(below -> ":" + below).orElse("");
    }

    /** As arguments of the commands. */
    String words() {
        return ShellWord.of(place()) + owner.map(who -> " --" + OwnerOptions.words(who)).orElse("");
    }

    @Override
    public String toString() {
        return place() + owner.map(who -> ", " + OwnerOptions.words(who)).orElse("");
    }
}
