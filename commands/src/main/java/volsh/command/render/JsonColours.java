package volsh.command.render;

/** Colours JSON for a terminal: keys blue, texts green, numbers and words cyan. The text stays the same. */
final class JsonColours {
    private JsonColours() {}

    static String of(CharSequence json, boolean colour) {
        if (!colour) {
            return json.toString();
        }
        var out = new StringBuilder();
        for (int at = 0; at < json.length(); ) {
            int end = end(json, at);
            var token = json.subSequence(at, end).toString();
            out.append(style(token, json, end).on(token, true));
            at = end;
        }
        return out.toString();
    }

    private static Style style(String token, CharSequence json, int end) {
        char first = token.charAt(0);
        if (first == '"') {
            return end < json.length() && json.charAt(end) == ':' ? Style.BLUE : Style.GREEN;
        }
        return isWord(first) ? token.equals("null") ? Style.DIM : Style.CYAN : Style.PLAIN;
    }

    private static boolean isWord(char c) {
        return Character.isLetterOrDigit(c) || c == '-' || c == '.' || c == '+';
    }

    /** Where the token ends that begins here: a text, a number or word, or one sign. */
    private static int end(CharSequence json, int start) {
        int at = start + 1;
        if (json.charAt(start) == '"') {
            while (at < json.length() && json.charAt(at) != '"') {
                at += json.charAt(at) == '\\' ? 2 : 1;
            }
            return Math.min(json.length(), at + 1);
        }
        while (isWord(json.charAt(start)) && at < json.length() && isWord(json.charAt(at))) {
            at++;
        }
        return at;
    }
}
