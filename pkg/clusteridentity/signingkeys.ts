/** The keys that sign tokens, stored and shared by the servers of a store. */
import { generateKeyPair, randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import type { JWK } from 'jose';
import { serverTimeout } from '../apimachinery/errors.js';
import { ALGORITHM, publicPart, type TokenKeys } from '../authentication/issuedtoken/keys.js';
import { StorageError, type Storage } from '../storage/interface.js';
import { isDue, promised, pruned, rotated, signingKeyOf, type KeyRing } from './keyring.js';
import { openRingRecord, type RingRecord } from './ringrecord.js';

const MAX_RELOAD_MS = 30_000;

export interface SigningKeys extends TokenKeys {
  /**
   * Creates a key if the newest is old, and removes keys whose last token has expired. Also runs
   * periodically.
   */
  tend(): Promise<void>;
  close(): void;
}

export interface SigningKeyOptions {
  /** How long a key signs before the next one does, in ms. */
  readonly lifeMs: number;
  /** Called when keys cannot be stored. */
  readonly failed: (error: unknown) => void;
  /** ms since 1970. */
  readonly now?: () => number;
}

/**
 * Watches the keys, creates the first one, and a new one when the newest is old. The server that sees it
 * first creates it by compare-and-set, and the others get it by a watch before it signs. Rejects with
 * StorageError, or Error for a record of a newer release.
 */
export async function openSigningKeys(
  storage: Storage,
  { lifeMs, failed, now = Date.now }: SigningKeyOptions,
): Promise<SigningKeys> {
  const record = await openRingRecord(storage, failed);
  const tend = async (): Promise<void> => {
    const fresh = isDue(record.current(), now(), lifeMs) ? await createKey() : undefined;
    await record.change((ring) => {
      const at = now();
      const due = fresh !== undefined && isDue(ring, at, lifeMs);
      const next = pruned(due ? rotated(ring, fresh, at, lifeMs) : ring, at);
      return due || next.length < ring.length ? next : undefined;
    });
  };
  try {
    await tend();
  } catch (error) {
    record.close();
    throw error;
  }
  const timer = setInterval(() => void tend().catch(failed), Math.min(MAX_RELOAD_MS, lifeMs / 8)).unref();
  return {
    signing: signingKeys(record, now),
    ...publishedKeys(record),
    tend,
    close() {
      clearInterval(timer);
      record.close();
    },
  };
}

function signingKeys(record: RingRecord, now: () => number): TokenKeys['signing'] {
  let promising: Promise<unknown> = Promise.resolve();
  const usable = (expiresAt: number): JWK | undefined => {
    const key = signingKeyOf(record.current(), now());
    return key !== undefined && key.until >= expiresAt * 1000 ? key.jwk : undefined;
  };
  const promise = async (expiresAt: number): Promise<JWK> => {
    for (;;) {
      const key = usable(expiresAt);
      if (key !== undefined) return key;
      const until = expiresAt * 1000;
      await record.change((ring) => promised(ring, signingKeyOf(ring, now())?.jwk.kid, until));
    }
  };
  return async (expiresAt) => {
    const key = usable(expiresAt);
    if (key !== undefined) return key;
    // One after the other: most find that an earlier call has extended it enough.
    const mine = promising.then(() => promise(expiresAt)).catch(refuse);
    promising = mine.catch(() => undefined);
    return mine;
  };
}

/** The error when tokens cannot be signed because the store is unavailable. */
function refuse(error: unknown): never {
  if (!(error instanceof StorageError) || error.failure.code !== 'unavailable') throw error;
  const answer = serverTimeout({ group: '', plural: 'tokens' }, 'create');
  answer.cause = error;
  throw answer;
}

function publishedKeys(record: RingRecord): Pick<TokenKeys, 'find' | 'published'> {
  let of: KeyRing | undefined;
  let keys: readonly JWK[] = [];
  const published = (): readonly JWK[] => {
    const ring = record.current();
    if (ring !== of) [of, keys] = [ring, ring.map(({ jwk }) => publicPart(jwk))];
    return keys;
  };
  return { published, find: (kid) => published().find((key) => key.kid === kid) };
}

async function createKey(): Promise<JWK> {
  const { privateKey } = await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' });
  const jwk = privateKey.export({ format: 'jwk' });
  return { ...jwk, alg: ALGORITHM, use: 'sig', kid: randomUUID() };
}
