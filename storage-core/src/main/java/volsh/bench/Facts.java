package volsh.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import volsh.proc.KernelFile;

/** The context of a measurement: the machine, the file system, and the parameters. */
public final class Facts {
    private Facts() {}

    public static Map<String, String> of(Terms terms) throws IOException {
        var facts = new LinkedHashMap<String, String>();
        facts.put("size", terms.size().exact());
        facts.put("io", terms.io().exact());
        facts.put("threads", String.valueOf(terms.threads()));
        facts.put("direct", String.valueOf(terms.direct()));
        facts.put("seed", String.valueOf(terms.seed()));
        terms.duration().ifPresent(time -> facts.put("duration", time.toString()));
        terms.pace().ifPresent(pace -> facts.put("pace", pace + "/s"));
        facts.put("fileSystem", Files.getFileStore(terms.directory()).type());
        facts.putAll(machine());
        return facts;
    }

    public static Map<String, String> machine() {
        var facts = new LinkedHashMap<String, String>();
        facts.put("cpus", String.valueOf(Runtime.getRuntime().availableProcessors()));
        facts.put("cpu", line(Path.of("/proc/cpuinfo"), "model name"));
        facts.put("memory", line(Path.of("/proc/meminfo"), "MemTotal"));
        facts.put("kernel", System.getProperty("os.name") + " " + System.getProperty("os.version"));
        facts.put("java", Runtime.version().toString());
        return facts;
    }

    private static String line(Path file, String name) {
        try {
            return KernelFile.text(file).lines().filter(line -> line.startsWith(name))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip()).findFirst().orElse("unknown");
        } catch (IOException unknown) {
            return "unknown";
        }
    }
}
