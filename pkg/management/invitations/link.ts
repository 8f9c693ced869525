/** The sealed codes of links: a link is `/console/#invitation=<code>`. */
import type { InvitationLink } from '../login/invited.js';
import type { Seal } from '../login/sealedcookie.js';

const PURPOSE = 'invitation';

export const invitationCode = (seal: Seal, link: InvitationLink, lifeMs: number): string =>
  seal.seal(PURPOSE, link, lifeMs);

/** Undefined: it was not made here, or is too old. */
export const openInvitation = (seal: Seal, code: string): InvitationLink | undefined =>
  seal.open<InvitationLink>(PURPOSE, code);
