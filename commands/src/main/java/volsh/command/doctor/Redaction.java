package volsh.command.doctor;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Removes secrets from texts: values of environment variables with a name like a secret, and everything that looks like
 * a key, a password, a token or a signature. Prefers to remove too much.
 */
public final class Redaction {
    static final String GONE = "****";
    private static final String NAMES = "pass(?:word|wd|phrase)?|pwd|secret|token"
            + "|credential|api[-_]?key|access[-_]?key|secret[-_]?key|private[-_]?key"
            + "|signature|sig|auth(?:orization)?|cookie|session[-_]?key|encryption[-_]?key|bearer";
    private static final String NAMED = "(?i)((?:" + NAMES + ")[\\w.-]*+[\"']?\\s*+[:=]\\s*+)";
    /** Their values may have spaces and commas. */
    private static final String PHRASES =
            "(?i)((?:password|passwd|passphrase|authorization|cookie)[\\w.-]*+\\s*+[:=][ \\t]*+)";
    private static final String OPTION = "(?<![\\w-])--[\\w-]{0,64}(?:" + NAMES + ")[\\w-]*+";
    private static final String QUOTED = "\"[^\"\\\\]*+(?:\\\\.[^\"\\\\]*+)*+(?:\"|\\z)";
    private static final Pattern SECRET_NAME = Pattern.compile("(?i).*(?:" + NAMES + "|_key$|^key$).*");
    private static final Pattern END_OF_KEY = Pattern.compile("-----END [A-Z ]*PRIVATE KEY-----");
    private static final int SHORTEST = 4;

    /** A pattern and its replacement. */
    private record Rule(Pattern pattern, String instead) {
        Rule(String pattern, String instead) {
            this(Pattern.compile(pattern), instead);
        }
    }

    private static final List<Rule> RULES = List.of(
            new Rule("(?s)-----BEGIN ([A-Z ]*PRIVATE KEY)-----.*?(?:-----END \\1-----|\\z)",
                    "-----BEGIN $1----- " + GONE),
            // up to the last @: a password may have one, and slashes
            new Rule("(?i)\\b([a-z][a-z0-9+.-]{0,30}://[^\\s:/@\"']{0,255}):(?:[^\\s@\"']{0,255}+@)++",
                    "$1:" + GONE + "@"),
            new Rule("(?i)\\b(bearer|basic|aws4-hmac-sha256)\\s+[^\\r\\n\"']+", "$1 " + GONE),
            new Rule(NAMED + QUOTED, "$1\"" + GONE + "\""),
            new Rule(NAMED + "'[^']*'", "$1'" + GONE + "'"),
            new Rule(PHRASES + "(?![\"'])[^\\r\\n\"'&]+", "$1" + GONE),
            new Rule(NAMED + "(?![\"'])[^\\s&\"']++(?:&(?![\\w.-]+=)[^\\s&\"']*+)*+", "$1" + GONE),
            new Rule("(?i)(\"" + OPTION + "\"\\s*,\\s*)" + QUOTED, "$1\"" + GONE + "\""),
            new Rule("(?i)(" + OPTION + "\\s+)(?!-)[^\\s\"']+", "$1" + GONE),
            new Rule("(?i)([?&](?:key|k|x-amz-[\\w-]+)=)[^\\s&\"']+", "$1" + GONE),
            new Rule("\\b(?:AKIA|ASIA|AROA|AIDA|ABIA|ACCA)[A-Z0-9]{12,}\\b", GONE),
            new Rule("\\b(?:ghp|gho|ghs|ghu|github_pat|glpat|xox[abp]|sk|hf|npm|pypi)[-_][A-Za-z0-9_-]{16,}", GONE),
            new Rule("\\beyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]*", GONE),
            new Rule("(?<![A-Za-z0-9/+=_.-])(?=[A-Za-z0-9/+]*[0-9])(?=[A-Za-z0-9/+]*[a-z])"
                    + "(?=[A-Za-z0-9/+]*[A-Z])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])", GONE));

    private final List<String> known;

    /** Knows the secrets of this environment. The path of an existing file is no secret (SSH_AUTH_SOCK, PWD). */
    public Redaction(Map<String, String> environment) {
        var values = new TreeSet<>(Comparator.comparingInt(String::length).reversed()
                .thenComparing(Comparator.naturalOrder()));
        environment.forEach((name, value) -> {
            if (isSecret(name) && value.length() >= SHORTEST && !isFile(value)) {
                var inUrl = URLEncoder.encode(value, StandardCharsets.UTF_8);
                var inJson = value.replace("\\", "\\\\").replace("\"", "\\\"");
                Collections.addAll(values, value, inUrl, inUrl.replace("+", "%20"), inJson);
            }
        });
        known = List.copyOf(values);
    }

    private static boolean isFile(String value) {
        return value.startsWith("/") && value.indexOf('\0') < 0 && Files.exists(Path.of(value));
    }

    /** Is a variable of this name a secret? */
    static boolean isSecret(String name) {
        return SECRET_NAME.matcher(name).matches();
    }

    /** The text without its secrets. */
    public String of(String text) {
        var result = withoutEndOfKey(text);
        for (var secret : known) {
            result = result.replace(secret, GONE);
        }
        for (var rule : RULES) {
            result = rule.pattern.matcher(result).replaceAll(rule.instead);
        }
        return result;
    }

    /** A key whose beginning is not in the text: a log that was cut. */
    private static String withoutEndOfKey(String text) {
        var end = END_OF_KEY.matcher(text);
        boolean cut = end.find() && !text.substring(0, end.start()).contains("-----BEGIN ");
        return cut ? GONE + text.substring(end.end()) : text;
    }
}
