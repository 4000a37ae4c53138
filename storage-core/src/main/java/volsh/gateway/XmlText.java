package volsh.gateway;

/** An XML document of elements and text. */
final class XmlText {
    private final StringBuilder text = new StringBuilder(256).append("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");

    XmlText open(String element) {
        text.append('<').append(element).append('>');
        return this;
    }

    /** The outermost element of an answer. */
    XmlText root(String element) {
        text.append('<').append(element).append(" xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">");
        return this;
    }

    XmlText close(String element) {
        text.append("</").append(element).append('>');
        return this;
    }

    XmlText element(String element, Object value) {
        open(element);
        String plain = String.valueOf(value);
        for (int i = 0; i < plain.length(); i++) {
            char letter = plain.charAt(i);
            switch (letter) {
                case '&' -> text.append("&amp;");
                case '<' -> text.append("&lt;");
                case '>' -> text.append("&gt;");
                case '"' -> text.append("&quot;");
                case '\t', '\n', '\r' -> text.append("&#").append((int) letter).append(';');
                // XML cannot hold the others: clients that have such keys ask for encoding-type=url
                default -> text.append(letter < ' ' ? '\ufffd' : letter);
            }
        }
        return close(element);
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
