package volsh.command.run;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine.Model.CommandSpec;
import volsh.catalog.VolumePath;

/** Words that people know from other systems (shells, lfs, juicefs, rclone, s3cmd, kubectl), and the command here. */
final class ForeignWords {
    /** Programs whose name people may write in front, from habit. */
    private static final Set<String> PROGRAMS = Set.of("juicefs", "rclone", "s3cmd", "s5cmd", "aws", "s3", "mc", "lfs",
            "hdfs", "dfs", "gsutil", "gcsfuse", "goofys", "zfs", "ceph", "beegfs", "beegfs-ctl", "mmfs");
    /** Only lines of a session have a working directory. */
    private static final Set<String> CURRENT = Set.of("cd", "chdir", "pwd", "use", "pushd", "popd");
    private static final Map<String, String> COMMANDS = table("""
            cache warm: warm warmup preload prewarm
            volume create: mkfs format mb mkvol mkvolume newfs init
            volume check: fsck
            volume destroy: rb
            volume list: vols
            volume show: info describe inspect config
            volume rename: rename
            stripe set: setstripe
            stripe get: getstripe
            store list: osts targets buckets remotes listremotes
            quota list: quotas
            rm: delete del erase unlink rmdir deletefile
            rm -r: rmr purge deltree
            ls: dir lsd lsf vdir
            ls -l: ll lsl
            find: tree
            cp: copy copyto
            mv: move moveto ren
            put: upload push
            get: download pull fetch
            mkdir: md
            cat: type more less head tail
            du: size ncdu
            df: about space
            top: profile iotop
            status: health healthz
            job list: ps
            job cancel: kill stop
            events: log logs
            umount: unmount eject
            """);
    private static final Map<String, String> VERBS = table("""
            destroy remove forget revoke: delete del rm remove drop erase unlink destroy
            create add install save start: new make mk add init create format mkfs
            show status get: info describe inspect get view stat display
            list: all index ls
            set: edit update modify config configure change alter
            rename: mv move
            probe: test ping check
            check verify: fsck verify
            cancel: stop kill abort
            warm: warmup preload load fill
            evict: clear clean drop invalidate purge
            log: logs tail
            s3: serve run start up
            pack: create make build
            plan assign: split divide
            """);

    private ForeignWords() {}

    private static Map<String, String> table(String lines) {
        var table = new HashMap<String, String>();
        for (String line : lines.lines().toList()) {
            String[] sides = line.split(": ");
            for (String word : sides[1].strip().split(" ")) {
                table.merge(word, sides[0], (first, more) -> first + " " + more);
            }
        }
        return Map.copyOf(table);
    }

    static boolean isAboutWorkingDirectory(String word) {
        return CURRENT.contains(word);
    }

    /** What these words, which begin with no command, would be here; empty if they mean nothing to us. */
    static List<String> line(List<String> words, CommandSpec root) {
        int at = 0;
        while (at < words.size() - 1 && PROGRAMS.contains(words.get(at))) {
            at++;
        }
        String word = at > 0 ? words.get(at).replaceFirst("^-+", "") : words.get(at);
        List<String> rest = words.subList(at + 1, words.size());
        if (CURRENT.contains(word)) {
            boolean place = rest.size() == 1 && VolumePath.isOne(rest.getFirst());
            return place ? List.of("-c", "cd " + rest.getFirst() + "; ls") : List.of("help", "paths");
        }
        if (Set.of("sync", "rsync", "mirror").contains(word)) {
            return joined(List.of("sync"), rest);
        }
        var url = rest.stream().filter(argument -> argument.contains("://")).findFirst();
        if (url.isPresent() && "volume create".equals(COMMANDS.get(word))) {
            return List.of("store", "add", "lake", url.get());
        }
        String known = at > 0 && root.subcommands().containsKey(word) ? word : COMMANDS.get(word);
        return known == null ? List.of() : joined(List.of(known.split(" ")), rest);
    }

    private static List<String> joined(List<String> command, List<String> rest) {
        var line = new ArrayList<>(command);
        line.addAll(rest);
        return line;
    }

    /** The command of a group that does what this word does elsewhere; empty if there is none. */
    static String verb(String word, Set<String> verbs) {
        String known = VERBS.getOrDefault(word, "");
        for (String verb : known.split(" ")) {
            if (verbs.contains(verb)) {
                return verb;
            }
        }
        return "";
    }
}
