package volsh.volume;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import volsh.assembly.VolumeParts;
import volsh.catalog.Access;
import volsh.catalog.Refusal;
import volsh.catalog.Refusal.Reason;
import volsh.catalog.VolumeSpec;
import volsh.engine.postgres.PostgresMetaEngine;
import volsh.engine.postgres.PostgresUrl;
import volsh.engine.postgres.Token;
import volsh.fs.FileKind;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.ShellWord;
import volsh.meta.Namespace;

/** Tokens: access to a volume or a part of it for others, for a time. Only for volumes whose database enforces it. */
public final class AccessTokens {
    private final VolumeRegistry volumes;
    private final VolumeOpener opener;
    private final VolumeParts parts;

    AccessTokens(VolumeRegistry volumes, VolumeOpener opener, VolumeParts parts) {
        this.volumes = volumes;
        this.opener = opener;
        this.parts = parts;
    }

    /** All tokens of a volume, oldest first. */
    public List<Token> list(String volume) throws IOException {
        var spec = volumes.find(volume);
        return PostgresMetaEngine.tokens(database(spec), spec.id());
    }

    /** @throws Refusal NOT_FOUND */
    public Token find(String volume, String id) throws IOException {
        return list(volume).stream().filter(token -> token.id().equals(id)).findFirst()
                .orElseThrow(() -> new Refusal(Reason.NOT_FOUND, "volume '%s' has no token '%s'".formatted(volume, id),
                        "volsh token list " + volume));
    }

    /** What a token would be of. @throws Refusal INVALID if it could not be enforced, NOT_FOUND */
    public Token.Wish checkCreate(String volume, Optional<String> path, boolean readOnly, Optional<Duration> lifetime,
            String note) throws IOException {
        var spec = volumes.find(volume);
        database(spec);
        var place = path.isEmpty() ? Optional.<Token.Place>empty() : place(volume, path.get());
        if (place.isPresent() && !readOnly) {
            throw new Refusal(Reason.INVALID, "a token of a path only reads: "
                    + "the database cannot tell which blocks and counters a writer may change",
                    "volsh token create %s --path %s --read-only".formatted(volume, ShellWord.of(path.get())));
        }
        return new Token.Wish(place, readOnly, lifetime, note);
    }

    private Optional<Token.Place> place(String volume, String path) throws IOException {
        try (var open = opener.open(OpeningRequest.of(volume, Access.NAMES, "token"))) {
            var found = open.paths().resolve(path);
            if (found.kind() != FileKind.DIRECTORY) {
                throw new Refusal(Reason.INVALID, ("%s:%s is not a directory: a token covers a directory and "
                        + "everything below it").formatted(volume, path));
            }
            return found.ino() == Namespace.ROOT ? Optional.empty() : Optional.of(new Token.Place(path, found.ino()));
        }
    }

    public Token.Made create(String volume, Token.Wish wish) throws IOException {
        var spec = volumes.find(volume);
        var url = database(spec);
        try {
            return PostgresMetaEngine.createToken(url, spec.id(), wish);
        } catch (FsException refused) {
            if (refused.error() == FsError.NOT_PERMITTED && url.user().isPresent() && url.token().isEmpty()) {
                throw new Refusal(Reason.FORBIDDEN, refused.getMessage(), refused,
                        "let an administrator of the database run: ALTER ROLE \"%s\" CREATEROLE"
                                .formatted(url.user().get()));
            }
            throw refused;
        }
    }

    /** Ends a token and all sessions that use it. @throws Refusal NOT_FOUND, or CONFLICT if it was revoked before */
    public void revoke(String volume, String id) throws IOException {
        find(volume, id);
        var spec = volumes.find(volume);
        if (!PostgresMetaEngine.revokeToken(database(spec), spec.id(), id)) {
            throw new Refusal(Reason.CONFLICT, "token '%s' is already revoked".formatted(id),
                    "volsh token list " + volume);
        }
    }

    /** @throws Refusal INVALID for a volume whose metadata is in files: nothing could enforce a token there */
    private PostgresUrl database(VolumeSpec spec) throws IOException {
        return parts.database(spec).orElseThrow(() -> new Refusal(Reason.INVALID,
                ("the metadata of volume '%s' is a file on this machine: a process that can read the file reads all of "
                        + "it, so a token could not be enforced")
                        .formatted(spec.name()),
                "share a directory by users and modes: mkdir -p ./%1$s && volsh mount %1$s ./%1$s --read-only"
                        .formatted(spec.name()), "move the metadata to PostgreSQL: volsh volume load --help"));
    }
}
