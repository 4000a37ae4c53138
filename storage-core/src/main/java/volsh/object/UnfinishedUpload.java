package volsh.object;

import java.time.Instant;

/** An upload that was neither completed nor aborted: it is invisible and costs space. */
public record UnfinishedUpload(String key, String id, Instant started) {}
