package volsh.block.s3;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.services.s3.model.ObjectIdentifier;
import volsh.block.Abort;
import volsh.block.Ability;
import volsh.block.Ability.Answer;
import volsh.block.Ability.Kind;
import volsh.block.S3Options;

/** Finds out what a server can do, by doing it with two small objects. A server's refusal is an answer. */
record ServerAbilities(BucketPrefix place, Sdk sdk, WireRequests requests, S3Options options) {
    private static final ByteBuffer DATA = ByteBuffer.wrap("volsh asks what this server can do"
            .getBytes(StandardCharsets.US_ASCII)).asReadOnlyBuffer();
    private static final Set<Integer> PASSING = Set.of(401, 403, 404, 429, 503);

    /** One question. */
    private interface Question {
        Found ask() throws IOException;
    }

    private record Found(Answer answer, String note, Optional<String> remedy) {
        static Found of(Answer answer, String note) {
            return new Found(answer, note, Optional.empty());
        }

        static Found remedied(Answer answer, String note, String remedy) {
            return new Found(answer, note, Optional.of(remedy));
        }
    }

    List<Ability> ask(String prefix, Set<Kind> kinds) throws IOException {
        String first = place.prefix() + prefix + "/object-0";
        String second = place.prefix() + prefix + "/object-1";
        requests.put(first, DATA, Map.of());   // whatever is wrong with the store is found here
        try {
            requests.put(second, DATA, Map.of());
            var abilities = new ArrayList<Ability>();
            for (var kind : kinds) {
                abilities.add(timed(kind, switch (kind) {
                    case CONDITIONAL_PUT -> () -> conditionalPut(first);
                    case CHECKSUM -> () -> checksum(first);
                    case RANGE -> () -> range(first);
                    case LIST -> () -> list(place.prefix() + prefix + "/");
                    case MULTI_DELETE -> () -> multiDelete(List.of(first, second));
                    case VERSIONING -> this::versioning;
                }));
            }
            return abilities;
        } finally {
            remove(first);
            remove(second);
        }
    }

    private void remove(String object) {
        try {
            requests.delete(object);
        } catch (IOException | RuntimeException left) {
            // gone already, or left to the next probe of the store
        }
    }

    private static Ability timed(Kind kind, Question question) throws IOException {
        long start = System.nanoTime();
        var found = question.ask();
        return new Ability(kind, found.answer, found.note, found.remedy, Duration.ofNanos(System.nanoTime() - start));
    }

    private Found conditionalPut(String object) throws IOException {
        var remedy = "conditional-put=off";
        try {
            requests.put(object, DATA, Map.of("if-none-match", "*"));
            return Found.remedied(Answer.IGNORED, "If-None-Match: the server overwrites the object", remedy);
        } catch (AwsServiceException answer) {
            return answer.statusCode() == 412 ? Found.of(Answer.YES, "If-None-Match")
                    : Found.remedied(Answer.NO, "If-None-Match: " + status(answer), remedy);
        }
    }

    /** Whether it refuses bytes that do not match. Without CRC32C, whether it knows the older Content-MD5. */
    private Found checksum(String object) throws IOException {
        String crc = "x-amz-checksum-crc32c";
        try {
            requests.put(object, DATA, Map.of(crc, PutChecksum.crc32c(DATA)));
        } catch (AwsServiceException answer) {
            String note = "CRC32C: " + status(answer);
            return refuses(object, "content-md5", PutChecksum.md5(ByteBuffer.allocate(1)))
                    ? Found.remedied(Answer.NO, note + "; it verifies Content-MD5", "checksum=md5")
                    : Found.remedied(Answer.NO, note + "; it verifies no Content-MD5 either", "checksum=md5");
        }
        return refuses(object, crc, PutChecksum.crc32c(ByteBuffer.allocate(1))) ? Found.of(Answer.YES, "CRC32C")
                : Found.of(Answer.IGNORED, "CRC32C: the server accepts bytes that do not match it");
    }

    private boolean refuses(String object, String header, String wrong) throws IOException {
        try {
            requests.put(object, DATA, Map.of(header, wrong));
            return false;
        } catch (AwsServiceException answer) {
            return true;
        } catch (IOException brokenOff) {
            requests.head(object);   // S3Proxy 4.1 breaks the answer off; a server that is away is no answer
            return true;
        }
    }

    private Found range(String object) throws IOException {
        var part = ByteBuffer.allocate(5);
        try {
            requests.get(object, 6, part, new Abort());
        } catch (AwsServiceException answer) {
            return Found.of(Answer.NO, "volsh needs it: " + status(answer));
        }
        return part.flip().equals(DATA.slice(6, 5)) ? Found.of(Answer.YES, "")
                : Found.of(Answer.IGNORED, "volsh needs it: the server gave other bytes");
    }

    private Found list(String prefix) throws IOException {
        try {
            var page = sdk.client().listObjectsV2(request -> request.bucket(place.bucket()).prefix(prefix).maxKeys(1));
            if (!Boolean.TRUE.equals(page.isTruncated()) || page.nextContinuationToken() == null) {
                return Found.of(Answer.IGNORED, "volsh needs it: the listing has no pages");
            }
            var rest = sdk.client().listObjectsV2(request -> request.bucket(place.bucket()).prefix(prefix)
                    .continuationToken(page.nextContinuationToken()));
            return rest.contents().size() == 1 ? Found.of(Answer.YES, "")
                    : Found.of(Answer.IGNORED, "volsh needs it: the second page repeats or misses objects");
        } catch (AwsServiceException answer) {
            return Found.of(passing(answer), "volsh needs it: " + status(answer));
        }
    }

    private Found multiDelete(List<String> objects) throws IOException {
        var named = objects.stream().map(each -> ObjectIdentifier.builder().key(each).build()).toList();
        try {
            var answer = sdk.client().deleteObjects(request -> request.bucket(place.bucket())
                    .delete(all -> all.objects(named)));
            return answer.errors().isEmpty() && answer.deleted().size() == objects.size()
                    ? Found.of(Answer.YES, "") : Found.of(Answer.IGNORED, "objects are deleted one by one");
        } catch (AwsServiceException answer) {
            return Found.of(passing(answer), "objects are deleted one by one: " + status(answer));
        }
    }

    private Found versioning() throws IOException {
        try {
            String status = sdk.client().getBucketVersioning(request -> request.bucket(place.bucket()))
                    .statusAsString();
            boolean on = "Enabled".equals(status);
            return Found.of(on ? Answer.YES : Answer.NO, on
                    ? "what volsh deletes stays as old versions: let a lifecycle rule of the bucket remove them" : "");
        } catch (AwsServiceException answer) {
            return Found.of(Answer.UNKNOWN, status(answer));
        }
    }

    private static Answer passing(AwsServiceException answer) {
        return PASSING.contains(answer.statusCode()) ? Answer.UNKNOWN : Answer.NO;
    }

    private static String status(AwsServiceException answer) {
        return "%s %d".formatted(S3Failures.code(answer), answer.statusCode()).strip();
    }
}
