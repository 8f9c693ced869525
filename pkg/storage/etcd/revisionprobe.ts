/**
 * Reads etcd's newest revision, for which every request to the server waits. Any response that is not clearly
 * successful is ignored; the package then asks again and reports the error.
 */
import { countRequest, headerOf } from './rpc/messages.js';
import type { RpcConnection } from './rpc/connection.js';
import type { AnswerHeader } from './storeidentity.js';

export interface RevisionProbe {
  /**
   * Linearizable. Undefined after `deadlineMs` or a failure. Never rejects.
   * @param onHeader called with the header of the response first
   */
  ask(deadlineMs: number, onHeader?: (header: AnswerHeader) => void): Promise<number | undefined>;
}

/** @param key whose existence is requested */
export function revisionProbe(connection: Pick<RpcConnection, 'call'>, key: Buffer): RevisionProbe {
  const request = countRequest(key);
  return {
    async ask(deadlineMs, heard) {
      try {
        const header = headerOf(await connection.call('/etcdserverpb.KV/Range', request, deadlineMs));
        if (header === undefined) return undefined;
        heard?.(header);
        return Number(header.revision);
      } catch {
        return undefined;
      }
    },
  };
}
