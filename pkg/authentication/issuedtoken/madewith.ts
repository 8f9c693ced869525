/** The claim of tokens that end with the access key that they were made with. */
import type { KeyFingerprint } from '../interface.js';

export const MADE_WITH = 'management.svc.example/made-with';

/** Ends at once: no key has it. */
const UNREADABLE: KeyFingerprint = { name: '', uid: '', fingerprint: '' };

export const madeWithClaim = (key: KeyFingerprint | undefined): Record<string, unknown> =>
  key === undefined ? {} : { [MADE_WITH]: key };

/** Undefined: the token ends by its own time alone. A claim that cannot be read names a key that never was. */
export function readMadeWith(payload: Readonly<Record<string, unknown>>): KeyFingerprint | undefined {
  if (!Object.hasOwn(payload, MADE_WITH)) return undefined;
  const { name, uid, fingerprint } = (payload[MADE_WITH] ?? {}) as Record<string, unknown>;
  if (typeof name !== 'string' || typeof uid !== 'string' || typeof fingerprint !== 'string')
    return UNREADABLE;
  return { name, uid, fingerprint };
}
