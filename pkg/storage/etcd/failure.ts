/** What an error of a call to etcd means for its outcome. */
import { StorageError } from '../interface.js';
import { messageOf } from '../../apimachinery/caught.js';

export type CallFailure =
  /** The request was not sent, so nothing was written. */
  | 'not sent'
  /**
   * etcd's space quota is exceeded: usually nothing was written, except for the write that first exceeded it.
   */
  | 'no space'
  | 'compacted'
  | 'future revision'
  /** The request or the response exceeds a size limit. */
  | 'request too large'
  | 'answer too large'
  /** etcd rejected the request: nothing was written. */
  | 'refused'
  /** Anything else: it may have been applied. */
  | 'ambiguous';

/** The text of a gRPC error is `<code> <NAME>: <details>`; the package keeps nothing else of it. */
const GRPC_TEXT = /^(\d+) [A-Z_]+: (.*)$/s;
const REFUSALS = new Set([3, 5, 6, 7, 8, 9, 11, 12, 16]);
const CONNECTING = 'Waiting for LB pick';
const NOT_SENT = [
  'No connection established',
  'round_robin: No connection',
  'Name resolution failed',
  'Channel closed before call started',
  CONNECTING,
  'Channel has been shut down',
];

export function classify(error: unknown): CallFailure {
  const text = messageOf(error);
  const [, code, details = text] = GRPC_TEXT.exec(text) ?? [];
  if (details.includes('database space exceeded')) return 'no space';
  if (details.includes('revision has been compacted')) return 'compacted';
  if (details.includes('is a future revision')) return 'future revision';
  if (details.includes('request is too large')) return 'request too large';
  if (details.includes('trying to send message larger than max')) return 'request too large';
  if (details.startsWith('Received message larger than max')) return 'answer too large';
  if (details.includes('client was already closed')) return 'not sent';
  if ((code === '14' || code === '4') && NOT_SENT.some((start) => details.includes(start))) return 'not sent';
  if (code !== undefined && REFUSALS.has(Number(code))) return 'refused';
  return 'ambiguous';
}

/** Whether the deadline of a call passed while its connection was being opened. */
export function waitedForConnection(error: unknown): boolean {
  return error instanceof Error && error.message.includes(CONNECTING);
}

/** @param error of etcd or the connection; its text contains no values of ours */
export function unavailable(error: unknown, outcome: 'none' | 'unknown'): StorageError {
  if (error instanceof StorageError) return error;
  const text = messageOf(error);
  const reason = (GRPC_TEXT.exec(text)?.[2] ?? text).replace(/\.?\s*Resolution note:\s*$/, '').slice(0, 300);
  return new StorageError({ code: 'unavailable', reason, outcome }, { cause: error });
}

export function closedError(): StorageError {
  return new StorageError({ code: 'unavailable', reason: 'the store is closed', outcome: 'none' });
}
