/** The keys that the management API publishes for its tokens, cached while it is unreachable. */
import { listOf, membersOf } from '../../apimachinery/encoding/members.js';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JWK } from 'jose';
import { ALGORITHM, publicPart } from '../../authentication/issuedtoken/keys.js';
import type { HostClient } from '../../hostclient/interface.js';
import { ISSUER_KEYS } from '../../server/routes/issuerpaths.js';
import { messageOf } from '../../apimachinery/caught.js';

/**
 * A key is published ten minutes before it signs. The interval also limits the age of the clock comparison.
 */
const REFRESH_MS = 60_000;
const RETRY_MS = 5_000;
const CHECK_INTERVAL_MS = 1_000;
const MAX_KEYS = 100;

/** The keys of a JWK Set (RFC 7517) that may verify tokens: those for ES256, by their `kid`. */
export function readKeySet(document: unknown): ReadonlyMap<string, JWK> {
  const usable = listOf(membersOf(document).keys).slice(0, MAX_KEYS).filter(isUsable);
  return new Map(usable.map((key) => [key.kid ?? '', publicPart(key)]));
}

function isUsable(value: unknown): value is JWK {
  const { kty, crv, kid, alg = ALGORITHM, use = 'sig', x, y } = membersOf(value);
  return (
    kty === 'EC' &&
    crv === 'P-256' &&
    alg === ALGORITHM &&
    use === 'sig' &&
    [kid, x, y].every((text) => typeof text === 'string' && text !== '')
  );
}

export interface KeyFollowing {
  readonly client: Pick<HostClient, 'send'>;
  readonly signal: AbortSignal;
  /** Called when the keys have changed. */
  readonly changed: (keys: ReadonlyMap<string, JWK>) => void;
  readonly failed: (why: string) => void;
  /** Checked once a second: whether to request the keys before their time. */
  readonly immediately?: () => boolean;
}

/** Resolves when `signal` is aborted. Never rejects. A response without a usable key changes nothing. */
export async function followKeys({
  client,
  signal,
  changed,
  failed,
  immediately = () => false,
}: KeyFollowing): Promise<void> {
  let known = '';
  while (!signal.aborted) {
    let pause = RETRY_MS;
    try {
      const { status, body } = await client.send({ method: 'GET', path: ISSUER_KEYS, signal });
      const keys = readKeySet(body);
      if (status === 200 && keys.size > 0) {
        const text = JSON.stringify([...keys]);
        if (text !== known) changed(keys);
        known = text;
        pause = REFRESH_MS;
      } else failed(`${ISSUER_KEYS}: ${status}, with ${keys.size} keys that can be used`);
    } catch (error) {
      if (!signal.aborted) failed(messageOf(error));
    }
    const until = performance.now() + pause;
    do await sleep(CHECK_INTERVAL_MS, undefined, { signal }).catch(() => undefined);
    while (!signal.aborted && !immediately() && performance.now() < until);
  }
}
