/** The first access key of a person who was invited. */
import type { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import { failure, isAlreadyExists } from '../../apimachinery/errors.js';
import type { ResourceStore } from '../../registry/resourcestore.js';
import { createAccessKey } from '../login/accesskey.js';
import { INVITATION_OVER, type Acceptance, type OpenInvitations } from '../login/invited.js';
import { orEndSession } from '../login/sessionlimit.js';

const LONGEST_NAME = 200;
const MANAGER = 'invitation';

/**
 * Creates the key, and uses the invitation, which a failure leaves open. Rejects with StatusError: 401 if it is over, 403
 * if it makes no key.
 */
export async function createFirstKey(
  invitations: OpenInvitations,
  keys: ResourceStore<OwnedAccessKey>,
  code: string,
): Promise<Acceptance> {
  const invited = await invitations.open(code);
  if (invited === undefined) throw failure('Unauthorized', INVITATION_OVER);
  const { link, keySeconds: ttl, invitedBy } = invited;
  if (ttl === undefined)
    throw failure('Forbidden', 'this invitation makes no access key: log in with the identity provider');
  // One name, so that whoever comes at the same moment makes no other key.
  const name = `${link.name.slice(0, LONGEST_NAME)}-${link.uid}`;
  const description = `Made by an invitation of ${invitedBy}.`;
  const spec = { user: link.name, type: 'User', ttl, displayName: 'First key', description };
  const key = await createAccessKey(keys, name, spec, MANAGER).catch((error: unknown) => {
    throw isAlreadyExists(error) ? failure('Unauthorized', INVITATION_OVER) : error;
  });
  await orEndSession(keys, key, MANAGER, async () => {
    if (!(await invitations.use(invited))) throw failure('Unauthorized', INVITATION_OVER);
  });
  return { key, invited };
}
