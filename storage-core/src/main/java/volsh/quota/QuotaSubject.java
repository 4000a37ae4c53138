package volsh.quota;

import volsh.fs.ShellWord;

/**
 * What a quota limits, as messages name it: a volume, a directory of it, or the files of an owner in it.
 *
 * @param path of the directory; empty for other quotas, or if it is unknown
 */
public record QuotaSubject(String volume, Account account, String path) {
    /** Whether volume and directory are known, so that {@link #words} can be typed. */
    public boolean isNamed() {
        return !volume.isEmpty() && (account.kind() != Account.Kind.PROJECT || !path.isEmpty());
    }

    /** As arguments of the quota commands. */
    public String words() {
        return switch (account.kind()) {
            case VOLUME -> volume;
            case PROJECT -> ShellWord.of(volume + ":" + path);
            case USER -> "%s --user %d".formatted(volume, account.id());
            case GROUP -> "%s --group %d".formatted(volume, account.id());
        };
    }

    @Override
    public String toString() {
        var whole = volume.isEmpty() ? "the volume" : "volume '%s'".formatted(volume);
        return switch (account.kind()) {
            case VOLUME -> whole;
            case PROJECT -> path.isEmpty() ? "a directory of " + whole : "directory %s:%s".formatted(volume, path);
            case USER -> "user %d in %s".formatted(account.id(), whole);
            case GROUP -> "group %d in %s".formatted(account.id(), whole);
        };
    }
}
