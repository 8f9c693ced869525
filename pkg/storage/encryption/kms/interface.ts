/** A KMS behind a plug-in: it keeps the key that encrypts data keys. */
import type { Wrapped } from './messages.js';

/** As the encryption configuration names it. */
export interface KmsProvider {
  readonly name: string;
  /** `unix:///run/kms.sock` */
  readonly endpoint: string;
  /** Of each call. */
  readonly timeoutMs: number;
}

/** All calls reject with {@link KmsUnavailable}, `decrypt` also with {@link KmsRefused}. */
export interface Kms {
  /** The id of the key that encrypts now. Rejects where the plug-in is not healthy, or of another version. */
  keyId(): Promise<string>;
  encrypt(plain: Buffer, uid: string): Promise<Wrapped>;
  decrypt(wrapped: Wrapped, uid: string): Promise<Buffer>;
  close(): void;
}

export type ConnectKms = (provider: KmsProvider) => Promise<Kms>;

/** The plug-in does not answer, or answers nothing that can be used. One line, for the operator; later it may. */
export class KmsUnavailable extends Error {
  override readonly name = 'KmsUnavailable';
}

/** The plug-in answers, and does not decrypt what it was given. One line. */
export class KmsRefused extends Error {
  override readonly name = 'KmsRefused';
}
