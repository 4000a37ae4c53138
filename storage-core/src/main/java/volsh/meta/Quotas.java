package volsh.meta;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import volsh.engine.Keys;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;
import volsh.fs.FileKind;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.quota.Account;
import volsh.quota.Allowances;
import volsh.quota.Charge;
import volsh.quota.QuotaKeys;
import volsh.quota.QuotaRule;

/**
 * Limits on the usage of a volume, a directory tree, a user or a group. A directory with a quota is a project: every
 * inode in it has the project's number, inherited on creation, and cannot be renamed or linked out of it. Owners are
 * counted once one of them gets a quota: inodes are counted in the order of their numbers, and every change checks
 * whether its inode is counted yet. Usage already over a limit stays; only growth is refused.
 */
public final class Quotas {
    private static final MetaKey NEXT_PROJECT = MetaKey.of(
            "cproject".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
    private static final int PAGE = 200;
    private static final int BATCH = 50;
    private static final int WALKS_MAX = 20;

    private final MetaEngine engine;
    private final Changes changes;

    /** {@code session} sets the quotas; 0 for read-only use. */
    public Quotas(MetaEngine engine, InstantSource clock, long session) {
        this(engine, clock, new CurrentSession(engine, clock, session));
    }

    public Quotas(MetaEngine engine, InstantSource clock, CurrentSession session) {
        this.engine = engine;
        this.changes = new Changes(engine, clock, session);
    }

    /** A rule and the current usage. */
    public record Status(QuotaRule rule, Charge used) {
        /** How much of it is used, from 0 on: of the bytes or the inodes, whichever is more. */
        public double part() {
            return Math.max(part(used.bytes(), rule.bytes()), part(used.inodes(), rule.inodes()));
        }

        private static double part(long used, long limit) {
            return limit == QuotaRule.NONE ? 0 : limit == 0 ? 1 : (double) Math.max(0, used) / limit;
        }
    }

    /** The quota of which the largest part is used, and how many others have as much as {@code near} in use. */
    public record Fullest(Status status, String path, long others) {}

    /** Empty if no quota has this part in use. */
    public Optional<Fullest> fullest(double near) throws IOException {
        var close = list().stream().filter(status -> status.part() >= near).toList();
        var most = close.stream().max(Comparator.comparingDouble(Status::part));
        if (most.isEmpty()) {
            return Optional.empty();
        }
        boolean directory = most.get().rule().account().kind() == Account.Kind.PROJECT;
        return Optional.of(new Fullest(most.get(), directory ? path(most.get().rule().directory()) : "",
                close.size() - 1));
    }

    public List<Status> list() throws IOException {
        var rules = Allowances.rules(engine);
        var found = new ArrayList<Status>();
        for (int from = 0; from < rules.size(); from += BATCH) {
            var some = rules.subList(from, Math.min(from + BATCH, rules.size()));
            found.addAll(engine.read(tx -> {
                var page = new ArrayList<Status>();
                for (var rule : some) {
                    page.add(new Status(rule, Allowances.usage(tx, rule.account())));
                }
                return page;
            }));
        }
        return found;
    }

    /** The path of a directory. @throws FsException NO_ENTRY if it is gone */
    public String path(long directory) throws IOException {
        var names = new ArrayList<String>();
        for (long at = directory; at != Namespace.ROOT; ) {
            long ino = at;
            long parent = changes.look(view -> view.directory(ino).parent());
            names.add(name(parent, ino));
            at = parent;
        }
        return "/" + String.join("/", names.reversed());
    }

    private String name(long directory, long ino) throws IOException {
        var end = Keys.entries(directory).afterPrefix();
        for (var from = Keys.entries(directory); from != null; ) {
            var start = from;
            var page = engine.read(tx -> tx.scan(start, end, PAGE));
            for (var row : page) {
                if (View.content(row.value()).getLong() == ino) {
                    return Name.of(Keys.name(row.key())).toString();
                }
            }
            from = page.size() < PAGE ? null : page.getLast().key().next();
        }
        throw new FsException(FsError.NO_ENTRY);
    }

    /** The quota of the whole volume. */
    public Optional<Status> ofVolume() throws IOException {
        return of(Account.VOLUME);
    }

    /** The quota of an account. */
    public Optional<Status> of(Account account) throws IOException {
        var key = QuotaKeys.rule(account);
        return engine.read(tx -> {
            byte[] row = tx.get(key);
            return row == null ? Optional.empty()
                    : Optional.of(new Status(QuotaRule.parse(key, row), Allowances.usage(tx, account)));
        });
    }

    /** The quota of the project that an inode belongs to, if any. */
    public Optional<Status> around(long ino) throws IOException {
        int project = changes.look(view -> {
            var content = view.content(Keys.node(ino));
            return content == null ? 0 : NodeRow.parse(content).project();
        });
        return project == 0 ? Optional.empty() : of(Account.project(project));
    }

    /** The quota set on this directory. */
    public Optional<Status> of(long directory) throws IOException {
        return list().stream().filter(status -> status.rule().account().kind() == Account.Kind.PROJECT
                && status.rule().directory() == directory).findFirst();
    }

    /** Limits the volume. */
    public void set(long bytes, long inodes) throws IOException {
        put(new QuotaRule(Account.VOLUME, bytes, inodes, 0));
    }

    /** Limits the volume as a part of a larger change. */
    public static void limit(Edit edit, long bytes) throws IOException {
        put(edit, new QuotaRule(Account.VOLUME, bytes, QuotaRule.NONE, 0));
    }

    private void put(QuotaRule rule) throws IOException {
        changes.change(edit -> {
            put(edit, rule);
            return null;
        });
    }

    private static void put(Edit edit, QuotaRule rule) throws IOException {
        edit.tx.put(QuotaKeys.rule(rule.account()), rule.toBytes());
        changed(edit);
    }

    /** Makes sessions read the rules again. */
    private static void changed(Edit edit) throws IOException {
        byte[] row = edit.tx.get(QuotaKeys.RULES_VERSION);
        long version = row == null ? 0 : ByteBuffer.wrap(row).getLong();
        edit.tx.put(QuotaKeys.RULES_VERSION, ByteBuffer.allocate(Long.BYTES).putLong(version + 1).array());
    }

    /**
     * Limits a user or a group. The first such limit of a volume counts all inodes for their owners: in small
     * transactions, while the volume is in use. If interrupted, running it again continues where it stopped.
     */
    public void set(Account owner, long bytes, long inodes, Watcher watcher) throws IOException {
        if (!owner.isOwner()) {
            throw new IllegalArgumentException("not a user or a group: " + owner);
        }
        while (changes.change(edit -> edit.isCountingOwners() && edit.countOwners(BATCH))) {
            watcher.counted(BATCH);
        }
        put(new QuotaRule(owner, bytes, inodes, 0));
    }

    /** Removes the limit of a user or a group. Returns whether there was one. */
    public boolean removeOwner(Account owner) throws IOException {
        return remove(owner);
    }

    /**
     * Limits a directory and everything below it, and counts its usage: in small transactions, while the volume is in
     * use. A directory below with its own quota keeps it, and is not counted here. If interrupted, running it again
     * continues where it stopped.
     *
     * @throws FsException NOT_DIRECTORY
     */
    public void set(long directory, long bytes, long inodes, Watcher watcher) throws IOException {
        int project = project(directory);
        for (int walk = 0; walk < WALKS_MAX && assign(directory, project, watcher); walk++) {
            // until a pass finds nothing added meanwhile
        }
        put(new QuotaRule(Account.project(project), bytes, inodes, directory));
    }

    /** Watches a directory being counted, and may stop it. */
    public interface Watcher {
        /** {@code inodes} more were counted. @throws IOException to stop */
        void counted(long inodes) throws IOException;
    }

    /** The project that begins here; a new one gets a rule without limits, so that it is found again. */
    private int project(long directory) throws IOException {
        var there = of(directory);
        if (there.isPresent()) {
            return (int) there.get().rule().account().id();
        }
        return changes.change(edit -> {
            edit.directory(directory);
            if (directory == Namespace.ROOT) {
                throw new FsException(FsError.INVALID,
                        "the root directory has no quota of its own: set the quota of the volume");
            }
            byte[] row = edit.tx.get(NEXT_PROJECT);
            long next = row == null ? 1 : ByteBuffer.wrap(row).getLong();
            edit.tx.put(NEXT_PROJECT, ByteBuffer.allocate(Long.BYTES).putLong(next + 1).array());
            var account = Account.project((int) next);
            put(edit, new QuotaRule(account, QuotaRule.NONE, QuotaRule.NONE, directory));
            return (int) next;
        });
    }

    /** Walks down, directories before their entries. Returns whether anything was not in the project yet. */
    private boolean assign(long top, int project, Watcher watcher) throws IOException {
        var nested = new HashSet<Long>();
        list().forEach(status -> nested.add(status.rule().directory()));
        boolean any = assign(List.of(top), project);
        var waiting = new ArrayDeque<Long>(List.of(top));
        while (!waiting.isEmpty()) {
            long directory = waiting.removeLast();
            var from = Keys.entries(directory);
            var end = from.afterPrefix();
            while (from != null) {
                var start = from;
                var page = engine.read(tx -> tx.scan(start, end, BATCH));
                var inos = new ArrayList<Long>();
                for (var row : page) {
                    var content = View.content(row.value());
                    long ino = content.getLong();
                    boolean isDirectory = content.get() == FileKind.DIRECTORY.code();
                    if (isDirectory && nested.contains(ino)) {
                        continue;
                    }
                    inos.add(ino);
                    if (isDirectory) {
                        waiting.add(ino);
                    }
                }
                any |= assign(inos, project);
                watcher.counted(inos.size());
                from = page.size() < BATCH ? null : page.getLast().key().next();
            }
        }
        return any;
    }

    private boolean assign(List<Long> inos, int project) throws IOException {
        return changes.change(edit -> {
            boolean any = false;
            for (long ino : inos) {
                var content = edit.content(Keys.node(ino));
                var node = content == null ? null : NodeRow.parse(content);
                if (node != null && node.links() > 0 && node.project() != project) {
                    edit.reassign(node, project);
                    edit.putNode(ino, node.withProject(project));
                    any = true;
                }
            }
            return any;
        });
    }

    /** Removes the limit of the volume. Returns whether there was one. */
    public boolean remove() throws IOException {
        return remove(Account.VOLUME);
    }

    /** Removes the limit of a directory: everything below it leaves the project. Returns whether there was one. */
    public boolean remove(long directory, Watcher watcher) throws IOException {
        var there = of(directory);
        if (there.isEmpty()) {
            return false;
        }
        var account = there.get().rule().account();
        put(new QuotaRule(account, QuotaRule.NONE, QuotaRule.NONE, directory));
        int outer = outer(directory);
        for (int walk = 0; walk < WALKS_MAX && assign(directory, outer, watcher); walk++) {
            // as above
        }
        return remove(account);
    }

    /** The project of the parent directory. */
    private int outer(long directory) throws IOException {
        return changes.look(view -> view.directory(view.directory(directory).parent()).project());
    }

    private boolean remove(Account account) throws IOException {
        return changes.change(edit -> {
            boolean there = edit.tx.get(QuotaKeys.rule(account)) != null;
            edit.tx.delete(QuotaKeys.rule(account));
            changed(edit);
            return there;
        });
    }
}
