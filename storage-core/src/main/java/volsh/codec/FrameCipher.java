package volsh.codec;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import volsh.crypt.VolumeKey;

/**
 * Encrypts the payloads of frames: AES-256-GCM under a key of the block, derived from the volume's. An encrypted
 * payload is a random nonce, the ciphertext and the tag. The tag covers what the checksum covers, too: which volume,
 * block, frame and raw offset, and the frame's header; a frame that was moved or changed does not decrypt. One thread
 * at a time.
 *
 * <p>Nonces are random because a block's number may be used again, with other bytes, after a machine was lost whose
 * last blocks no metadata names.
 */
final class FrameCipher {
    static final int NONCE = 12;
    static final int TAG = 16;
    /** How much longer an encrypted payload is. */
    static final int OVERHEAD = NONCE + TAG;

    private static final String PURPOSE = "block";
    private static final int IDENTITY = 24;
    private static final int FRONT = IDENTITY + 8 + FrameHeader.CHECKSUM_AT;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final VolumeKey volume;
    private final Cipher cipher;
    private final byte[] front = new byte[FRONT];
    private final ByteBuffer view = ByteBuffer.wrap(front);
    private final byte[] nonce = new byte[NONCE];
    private byte[] input = new byte[0];
    private byte[] output = new byte[0];
    private @Nullable BlockIdentity keyed;
    private @Nullable SecretKeySpec key;

    FrameCipher(VolumeKey volume) {
        this.volume = volume;
        try {
            this.cipher = Cipher.getInstance("AES/GCM/NoPadding");
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("every Java has AES-GCM", impossible);
        }
    }

    /**
     * Encrypts {@code plain} bytes of payload in place: {@code stored} holds the frame from 0 on, its header, already
     * as it will be, and the payload, behind which there is room for {@link #OVERHEAD} bytes more.
     */
    void encrypt(BlockIdentity identity, int frame, int rawOffset, ByteBuffer stored, int plain) {
        reserve(plain + TAG);
        stored.get(FrameHeader.LENGTH, input, 0, plain);
        RANDOM.nextBytes(nonce);
        try {
            start(Cipher.ENCRYPT_MODE, identity, frame, rawOffset, stored);
            cipher.doFinal(input, 0, plain, output, 0);
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
        stored.put(FrameHeader.LENGTH, nonce);
        stored.put(FrameHeader.LENGTH + NONCE, output, 0, plain + TAG);
    }

    /** Decrypts the payload of a frame to {@code target} from {@code at} on; returns how many bytes it has. */
    int decrypt(FrameEntry frame, ByteBuffer stored, ByteBuffer target, int at) throws CorruptBlockException {
        int sealed = frame.payloadLength() - NONCE;
        if (sealed < TAG) {
            throw frame.corrupt("does not decrypt: %d bytes", frame.payloadLength());
        }
        reserve(sealed);
        stored.get(FrameHeader.LENGTH, nonce);
        stored.get(FrameHeader.LENGTH + NONCE, input, 0, sealed);
        try {
            start(Cipher.DECRYPT_MODE, frame.identity(), frame.number(), frame.rawOffset(), stored);
            int plain = cipher.doFinal(input, 0, sealed, output, 0);
            if (plain > target.limit() - at) {
                throw frame.corrupt("decrypts to %d bytes, too many", plain);
            }
            target.put(at, output, 0, plain);
            return plain;
        } catch (AEADBadTagException wrong) {
            throw frame.corrupt("does not decrypt: it was changed, or its key is another one");
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private void start(int mode, BlockIdentity identity, int frame, int rawOffset, ByteBuffer stored)
            throws GeneralSecurityException {
        if (key == null || !identity.equals(keyed)) {
            view.putLong(0, identity.volume().getMostSignificantBits())
                    .putLong(8, identity.volume().getLeastSignificantBits())
                    .putLong(16, identity.block());
            key = new SecretKeySpec(volume.derive(PURPOSE, view.slice(0, IDENTITY)), "AES");
            keyed = identity;
        }
        view.putInt(IDENTITY, frame).putInt(IDENTITY + 4, rawOffset);
        stored.get(0, front, IDENTITY + 8, FrameHeader.CHECKSUM_AT);
        cipher.init(mode, key, new GCMParameterSpec(8 * TAG, nonce));
        cipher.updateAAD(front);
    }

    private void reserve(int length) {
        if (input.length < length) {
            int size = Math.max(length, BlockCodec.FRAME_LENGTH + TAG);
            input = new byte[size];
            output = new byte[size];
        }
    }
}
