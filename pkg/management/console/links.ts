/**
 * Links that log one browser in, once, as the bearer of an access key. The code stands behind `#`, so that browsers send it
 * to no server by themselves, and proxies log none.
 */
import { randomBytes } from 'node:crypto';
import type { KeyFingerprint } from '../../apimachinery/user.js';
import type { Seal } from '../login/sealedcookie.js';
import { CONSOLE } from './paths.js';

const PURPOSE = 'console link';

export interface Link {
  /** Two texts may open to one link: a link counts as used by this. */
  readonly id: string;
  readonly origin: KeyFingerprint;
}

/** The path of a link: `/console/#login=<code>`. */
export function linkPath(seal: Seal, origin: KeyFingerprint, lifeMs: number): string {
  const link: Link = { id: randomBytes(16).toString('base64url'), origin };
  return `${CONSOLE}/#login=${seal.seal(PURPOSE, link, lifeMs)}`;
}

/** Undefined: it was not made here, or is too old. */
export const openLink = (seal: Seal, code: string): Link | undefined => seal.open<Link>(PURPOSE, code);

/** By what a link counts as used. */
export const useOf = ({ id }: Link): string => `link ${id}`;
