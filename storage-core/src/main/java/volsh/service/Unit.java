package volsh.service;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import volsh.fs.ShellWord;

/**
 * The systemd unit of one mount or gateway. The service manager runs it itself, in the foreground, so that it knows
 * its process, its log and its end; one that dies is restarted.
 *
 * @param launcher the command line of volsh, beginning with an absolute path
 * @param home the value of {@code VOLSH_HOME}, if needed
 */
public record Unit(ServiceWork work, List<String> launcher, Optional<Path> home) {
    static final String SECTION = "[X-Volsh]";
    static final String SOURCE = "Source=";
    static final String DIRECTORY = "Directory=";
    static final String LISTEN = "Listen=";
    private static final String ENDED_BY_SIGNAL = "130 143";
    static final String PREFIX = "volsh-";
    static final String SUFFIX = ".service";

    public Unit {
        launcher = List.copyOf(launcher);
        if (!Path.of(launcher.getFirst()).isAbsolute()) {
            throw new IllegalArgumentException("a unit needs the absolute path of its program: " + launcher.getFirst());
        }
    }

    public String name() {
        return work.unitName();
    }

    /** The name of the unit that mounts on this directory: the path as systemd escapes it. */
    public static String name(Path mountPoint) {
        return PREFIX + escapedPath(mountPoint) + SUFFIX;
    }

    /** Whether this names a unit of ours, rather than a mount point. */
    public static boolean isName(String file) {
        return file.startsWith(PREFIX) && file.endsWith(SUFFIX) && file.indexOf('/') < 0;
    }

    public String text() {
        var lines = new ArrayList<String>();
        lines.add("# Written by: volsh service. Removed by: volsh service remove " + ShellWord.of(work.service()));
        lines.add("[Unit]");
        lines.add("Description=volsh: " + specifiers(work.description()));
        lines.add("Documentation=man:%s(1)".formatted(work.page()));
        lines.add("Wants=network-online.target");
        lines.add("After=network-online.target local-fs.target");
        work.requires().ifPresent(directory -> lines.add("RequiresMountsFor=" + word(directory.toString())));
        lines.add("");
        lines.add("[Service]");
        lines.add("Type=notify");
        home.ifPresent(path -> lines.add("Environment=" + word("VOLSH_HOME=" + path)));
        lines.add("ExecStart=" + command(work.start()));
        if (work.stop().isEmpty()) {
            lines.add("SuccessExitStatus=" + ENDED_BY_SIGNAL);
        } else {
            lines.add("ExecStop=-" + command(work.stop()));
        }
        lines.add("TimeoutStartSec=60s");
        lines.add("TimeoutStopSec=150s");
        lines.add("Restart=on-failure");
        lines.add("RestartSec=2s");
        lines.add("KillMode=mixed");
        lines.add("");
        lines.add("[Install]");
        lines.add("WantedBy=" + SystemdUnits.TARGET);
        lines.add("");
        lines.add(SECTION);
        lines.add(SOURCE + specifiers(work.source()));
        lines.add(work.key() + specifiers(work.value()));
        return String.join("\n", lines) + "\n";
    }

    private String command(List<String> words) {
        var all = new ArrayList<>(launcher);
        all.addAll(words);
        return String.join(" ", all.stream().map(word -> word(word).replace("$", "$$")).toList());
    }

    /** One word of a unit file, quoted if necessary. */
    private static String word(String text) {
        var plain = specifiers(text);
        return plain.matches("[A-Za-z0-9@%+=:,./_-]+")
                ? plain
                : '"' + plain.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    private static String specifiers(String text) {
        if (text.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException("cannot write a unit for a name with control characters: "
                    + text.replaceAll("\\p{Cntrl}", "?"));
        }
        return text.replace("%", "%%");
    }

    static String withoutSpecifiers(String text) {
        return text.replace("%%", "%");
    }

    /** In the notation of {@code systemd-escape --path}. */
    private static String escapedPath(Path path) {
        var text = path.normalize().toString().replaceAll("^/+|/+$", "");
        if (text.isEmpty()) {
            return "-";
        }
        var escaped = new StringBuilder();
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (b & 0xff);
            boolean plain = c < 128 && Character.isLetterOrDigit(c) || c == ':' || c == '_'
                    || c == '.' && !escaped.isEmpty();
            escaped.append(c == '/' ? "-" : plain ? String.valueOf(c) : "\\x%02x".formatted((int) c));
        }
        return escaped.toString();
    }
}
