/** A KMS that is used through a plug-in: it has the key that encrypts data keys. */
import type { Wrapped } from './messages.js';

/** A KMS plug-in in the encryption configuration. */
export interface KmsProvider {
  readonly name: string;
  /** `unix:///run/kms.sock` */
  readonly endpoint: string;
  /** The timeout of each call. */
  readonly timeoutMs: number;
}

/** All calls reject with {@link KmsUnavailable}, `decrypt` also with {@link KmsRefused}. */
export interface Kms {
  /** The id of the key that encrypts now. Rejects if the plug-in is not healthy, or has another API version. */
  keyId(): Promise<string>;
  encrypt(plain: Buffer, uid: string): Promise<Wrapped>;
  decrypt(wrapped: Wrapped, uid: string): Promise<Buffer>;
  close(): void;
}

export type ConnectKms = (provider: KmsProvider) => Promise<Kms>;

/**
 * The plug-in does not respond, or its response is not usable. The call can be retried. The message is one line, for
 * the operator.
 */
export class KmsUnavailable extends Error {
  override readonly name = 'KmsUnavailable';
}

/** The plug-in responds, but refuses to decrypt the data key. The message is one line. */
export class KmsRefused extends Error {
  override readonly name = 'KmsRefused';
}
