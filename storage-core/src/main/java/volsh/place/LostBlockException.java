package volsh.place;

import java.io.IOException;

/** The stores of a block answer, and have too little of it left to read it. */
public final class LostBlockException extends IOException {
    LostBlockException(String message, Throwable cause) {
        super(message, cause);
    }
}
