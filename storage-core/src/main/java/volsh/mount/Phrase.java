package volsh.mount;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A verb and words on one line, with arbitrary characters in the words. */
record Phrase(String verb, List<String> words) {
    static String of(String verb, List<String> words) {
        var line = new StringBuilder(verb);
        words.forEach(word -> line.append(' ').append(URLEncoder.encode(word, StandardCharsets.UTF_8)));
        return line.toString();
    }

    static Phrase parse(String line) {
        var parts = line.split(" ", -1);
        var words = new ArrayList<String>();
        for (int i = 1; i < parts.length; i++) {
            words.add(URLDecoder.decode(parts[i], StandardCharsets.UTF_8));
        }
        return new Phrase(parts[0], List.copyOf(words));
    }
}
