/** The claim of tokens that end with the access key that they were made with. */
import { membersOf } from '../../apimachinery/encoding/members.js';
import type { KeyFingerprint } from '../interface.js';

export const MADE_WITH = 'management.svc.example/made-with';

/** Ends at once: no key has it. */
const UNREADABLE: KeyFingerprint = { name: '', uid: '', fingerprint: '' };

export const madeWithClaim = (key: KeyFingerprint | undefined): Record<string, unknown> =>
  key === undefined ? {} : { [MADE_WITH]: key };

/** Undefined: the token ends by its own time alone. A claim that cannot be read names a key that never was. */
export function readMadeWith(payload: Readonly<Record<string, unknown>>): KeyFingerprint | undefined {
  if (!Object.hasOwn(payload, MADE_WITH)) return undefined;
  const { name, uid, fingerprint } = membersOf(payload[MADE_WITH]);
  if (typeof name !== 'string' || typeof uid !== 'string' || typeof fingerprint !== 'string')
    return UNREADABLE;
  return { name, uid, fingerprint };
}

/** The credential that a front proxy reports: an access key, or a token that was created with one. */
export interface ReportedKey {
  readonly kind: 'key' | 'token';
  readonly key: KeyFingerprint;
}

/** As a value of `extra` of a user; the name, the uid and the fingerprint have no slash. */
export const reportedKeyText = ({ kind, key }: ReportedKey): string =>
  [kind, key.name, key.uid, key.fingerprint].join('/');

/**
 * Reads the values of that member of `extra`; undefined if absent. An unreadable value results in a key that does not
 * exist.
 */
export function readReportedKey(values: readonly string[] | undefined): ReportedKey | undefined {
  if (values === undefined) return undefined;
  const [kind, name, uid, fingerprint, ...more] = values.join(',').split('/');
  const whole = name !== undefined && uid !== undefined && fingerprint !== undefined && more.length === 0;
  const key = whole ? { name, uid, fingerprint } : UNREADABLE;
  return { kind: kind === 'token' ? kind : 'key', key };
}
