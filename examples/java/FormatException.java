package statehist;

import java.io.IOException;

/** A file breaks a rule of its format. The message names the rule and the byte of the file. */
public final class FormatException extends IOException {
    private static final long serialVersionUID = 1;

    public FormatException(String rule, long offset) {
        super(rule + " at byte " + offset);
    }
}
