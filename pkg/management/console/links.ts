/**
 * Links that log one browser in, once, as the bearer of an access key. The code stands behind `#`, so that browsers send it
 * to no server by themselves, and proxies log none.
 */
import { randomBytes } from 'node:crypto';
import type { KeyFingerprint } from '../../apimachinery/user.js';
import type { Seal } from '../login/sealedcookie.js';
import { CONSOLE } from './paths.js';

const PURPOSE = 'console link';

interface Link {
  /** Two texts may open to one link: a link counts as used by this. */
  readonly id: string;
  readonly origin: KeyFingerprint;
}

/** The path of a link: `/console/#login=<code>`. */
export function linkPath(seal: Seal, origin: KeyFingerprint, lifeMs: number): string {
  const link: Link = { id: randomBytes(16).toString('base64url'), origin };
  return `${CONSOLE}/#login=${seal.seal(PURPOSE, link, lifeMs)}`;
}

/** The key of a link that is used by this. Undefined: it was not made here, is too old, or was used before. */
export async function takeLink(
  seal: Seal,
  used: { use(login: string): Promise<boolean> },
  code: string,
): Promise<KeyFingerprint | undefined> {
  const link = seal.open<Link>(PURPOSE, code);
  return link !== undefined && (await used.use(`link ${link.id}`)) ? link.origin : undefined;
}
