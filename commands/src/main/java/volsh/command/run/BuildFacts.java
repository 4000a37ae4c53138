package volsh.command.run;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

/** Which build this is: from {@code /volsh/build.properties} on the class path, where the build put it. */
public record BuildFacts(String program, String version, String commit, String date, String java) {
    private static final String UNKNOWN = "unknown";

    public static BuildFacts read() throws IOException {
        var facts = new Properties();
        try (InputStream resource = BuildFacts.class.getResourceAsStream("/volsh/build.properties")) {
            if (resource != null) {
                facts.load(resource);
            }
        }
        return new BuildFacts(CommandTree.PROGRAM, facts.getProperty("version", "development"),
                facts.getProperty("commit", UNKNOWN),
                facts.getProperty("date", UNKNOWN), System.getProperty("java.vm.version", UNKNOWN));
    }
}
