/** Kubernetes' KMS plug-in API, version 2 (`k8s.io/kms/apis/v2`): gRPC over a Unix socket. */
import { Client, credentials, status, type ServiceError } from '@grpc/grpc-js';
import { KmsRefused, KmsUnavailable, type Kms, type KmsProvider } from './interface.js';
import {
  decryptRequest,
  decryptResponse,
  encryptRequest,
  encryptResponse,
  statusRequest,
  statusResponse,
  type Wrapped,
} from './messages.js';

const SERVICE = '/v2.KeyManagementService/';
/** The versions of the API that are equivalent, according to Kubernetes. */
const VERSIONS = ['v2', 'v2beta1'];
/** Limits of kube-apiserver (`pkg/storage/value/encrypt/envelope/kmsv2`). */
const MAX_KEY_ID_BYTES = 1024;
const MAX_CIPHERTEXT_BYTES = 1024;
const MAX_ANNOTATION_BYTES = 32 * 1024;
const MAX_MESSAGE_BYTES = 64 * 1024;
const MAX_REASON = 300;
/**
 * What the gRPC library adds to the reason of a failed connection. It does not apply, as no name is resolved for a
 * socket.
 */
const NOTE = / Resolution note:.*$/s;
/** Status codes that mean that the plug-in is unavailable. With other codes it refuses the request. */
const AWAY = [status.UNAVAILABLE, status.DEADLINE_EXCEEDED, status.CANCELLED, status.UNIMPLEMENTED];

const shortened = (why: string): string =>
  why
    .replace(NOTE, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .slice(0, MAX_REASON);

/** The connection is opened at the first call. */
export function connectKms({ name, endpoint, timeoutMs }: KmsProvider): Kms {
  const client = new Client(endpoint, credentials.createInsecure(), {
    'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
    'grpc.enable_retries': 0,
  });
  const messageOfPlugin = (why: string): string =>
    `the KMS plug-in ${name} at ${endpoint}: ${shortened(why)}`;
  const unusable = (why: string): KmsUnavailable => new KmsUnavailable(messageOfPlugin(why));

  function call<T>(method: string, request: Buffer, read: (bytes: Buffer) => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const failed = ({ code, details }: ServiceError): Error =>
        method === 'Decrypt' && !AWAY.includes(code)
          ? new KmsRefused(messageOfPlugin(details))
          : unusable(code === status.DEADLINE_EXCEEDED ? `no answer within ${timeoutMs} ms` : details);
      client.makeUnaryRequest(
        SERVICE + method,
        (bytes: Buffer) => bytes,
        read,
        request,
        { deadline: Date.now() + timeoutMs },
        (error, answer) => {
          if (error !== null) reject(failed(error));
          else if (answer === undefined) reject(unusable('it answers nothing'));
          else resolve(answer);
        },
      );
    });
  }

  function checkedId(keyId: string): string {
    const bytes = Buffer.byteLength(keyId);
    if (bytes > 0 && bytes <= MAX_KEY_ID_BYTES) return keyId;
    throw unusable(`its key id has ${bytes} bytes, and must have 1 to ${MAX_KEY_ID_BYTES}`);
  }

  function checkWrapped({ ciphertext, keyId, annotations }: Wrapped): void {
    checkedId(keyId);
    if (ciphertext.length === 0 || ciphertext.length > MAX_CIPHERTEXT_BYTES)
      throw unusable(
        `its ciphertext has ${ciphertext.length} bytes, and must have 1 to ${MAX_CIPHERTEXT_BYTES}`,
      );
    const entries = Object.entries(annotations);
    const bytes = entries.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + value.length, 0);
    if (bytes > MAX_ANNOTATION_BYTES)
      throw unusable(`its annotations have ${bytes} bytes, and may have ${MAX_ANNOTATION_BYTES}`);
  }

  return {
    async keyId() {
      const { version, healthz, keyId } = await call('Status', statusRequest(), statusResponse);
      if (!VERSIONS.includes(version)) throw unusable(`it has version "${version}", and must have v2`);
      if (healthz !== 'ok') throw unusable(`it is not healthy: ${healthz}`);
      return checkedId(keyId);
    },
    async encrypt(plain, uid) {
      const wrapped = await call('Encrypt', encryptRequest(plain, uid), encryptResponse);
      checkWrapped(wrapped);
      return wrapped;
    },
    decrypt: (wrapped, uid) => call('Decrypt', decryptRequest(wrapped, uid), decryptResponse),
    close: () => client.close(),
  };
}
