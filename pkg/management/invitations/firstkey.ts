/** The first access key of a person who was invited. */
import { randomBytes } from 'node:crypto';
import type { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import { failure } from '../../apimachinery/errors.js';
import type { ResourceStore } from '../../registry/resourcestore.js';
import { createAccessKey, type LoginKey } from '../login/accesskey.js';
import { INVITATION_OVER, type OpenInvitations } from '../login/invited.js';

const LONGEST_NAME = 200;

/** Uses the invitation, and creates the key. Rejects with StatusError: 401 if it is over, 403 if it makes no key. */
export async function createFirstKey(
  invitations: OpenInvitations,
  keys: ResourceStore<OwnedAccessKey>,
  code: string,
): Promise<LoginKey> {
  const invited = await invitations.open(code);
  if (invited === undefined) throw failure('Unauthorized', INVITATION_OVER);
  const { link, keySeconds: ttl, invitedBy } = invited;
  if (ttl === undefined)
    throw failure('Forbidden', 'this invitation makes no access key: log in with the identity provider');
  if (!(await invitations.use(invited))) throw failure('Unauthorized', INVITATION_OVER);
  const name = `${link.name.slice(0, LONGEST_NAME)}-${randomBytes(4).toString('hex')}`;
  const description = `Made by an invitation of ${invitedBy}.`;
  const spec = { user: link.name, type: 'User', ttl, displayName: 'First key', description };
  return createAccessKey(keys, name, spec, 'invitation');
}
