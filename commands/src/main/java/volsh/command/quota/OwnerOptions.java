package volsh.command.quota;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import volsh.command.failure.CommandFailure;
import volsh.command.file.Accounts;
import volsh.quota.Account;

/** Selects the files of a user or a group. */
final class OwnerOptions {
    @Option(names = "--user", paramLabel = "USER", description = "Select the files of this user, by name or number.")
    private @Nullable String user;

    @Option(names = "--group", paramLabel = "GROUP",
            description = "Select the files of this group, by name or number.")
    private @Nullable String group;

    /** Empty if neither is given. */
    Optional<Account> account() {
        if (user != null && group != null) {
            throw CommandFailure.usage("--user and --group exclude each other");
        }
        return user != null ? Optional.of(user(user)) : Optional.ofNullable(group).map(OwnerOptions::group);
    }

    private static Account user(String name) {
        return Account.user(new Accounts().uid(name).orElseThrow(() -> unknown("user", name)));
    }

    private static Account group(String name) {
        return Account.group(new Accounts().gid(name).orElseThrow(() -> unknown("group", name)));
    }

    private static CommandFailure unknown(String what, String name) {
        return CommandFailure.usage("no such %s on this machine: '%s'".formatted(what, name))
                .hint("use the number, such as --%s 1001".formatted(what));
    }

    /** An owner as options name it. */
    static String words(Account account) {
        return switch (account.kind()) {
            case USER -> "user " + new Accounts().user((int) account.id());
            case GROUP -> "group " + new Accounts().group((int) account.id());
            case VOLUME, PROJECT -> "";
        };
    }
}
