package volsh.script;

import java.util.List;
import java.util.Optional;

/** What scripts for other shells import and volsh does not contain, with the word of volsh that does the same. */
final class Equivalents {
    private static final String JSON =
            "parseJson(text or file) and toJson(value) need no import; groovy.json.JsonSlurper is there, too";
    private static final String TIMES =
            "times are numbers with a unit: 5.min, 2.h, 30.d; now - 2.h; groovy.time and java.time are there, too";
    private static final String MOMENTS =
            "now is the time, today the date; java.time has the rest: java.time.ZonedDateTime.now()";

    /** A class, or a package that ends in a dot. */
    private record Known(String name, String equivalent) {
        /** Whether the text names the class, or a class of the package, in full or alone. */
        boolean isMeantBy(String wanted) {
            return name.endsWith(".") ? wanted.startsWith(name) : wanted.equals(name) || wanted.endsWith("." + name);
        }
    }

    private static final List<Known> KNOWN = List.of(
            new Known("JsonSlurper", JSON), new Known("JsonOutput", JSON), new Known("JsonBuilder", JSON),
            new Known("com.fasterxml.jackson.", JSON), new Known("com.google.gson.", JSON),
            new Known("ObjectMapper", JSON),
            new Known("TimeCategory", TIMES), new Known("TimeDuration", TIMES),
            new Known("org.joda.time.", MOMENTS), new Known("DateTime", MOMENTS),
            new Known("SimpleDateFormat", MOMENTS),
            new Known("export", "X = 1 is a variable of the session; !cmd and sh('...') get the environment of volsh"),
            new Known("groovy.cli.", "cli { option 'name', type: Size } declares options"),
            new Known("CliBuilder", "cli { option 'name', type: Size } declares options"),
            new Known("groovy.xml.", "javax.xml.parsers reads XML"),
            new Known("XmlSlurper", "javax.xml.parsers reads XML"),
            new Known("groovy.yaml.", "write JSON instead, which is YAML, too: toJson(value)"),
            new Known("groovyx.net.http.", "java.net.http.HttpClient speaks HTTP, sh('curl ...') as well"),
            new Known("groovy.ant.", "sh('...') runs programs, Files and Path handle files"),
            new Known("AntBuilder", "sh('...') runs programs, Files and Path handle files"));

    private Equivalents() {}

    /** What to write instead of a class that is not there. */
    static Optional<String> of(String wanted) {
        return KNOWN.stream().filter(known -> known.isMeantBy(wanted)).map(Known::equivalent).findFirst();
    }
}
