/** What the links of invitations are worth now, and their one use. */
import type { Invitation } from '../../../api/management.svc.example/v1/invitation.js';
import type { User } from '../../../api/management.svc.example/v1/user.js';
import { clusterScoped } from '../../../api/resource.js';
import { StatusError } from '../../apimachinery/errors.js';
import type { Authorizer } from '../../authorization/interface.js';
import { deleteObject } from '../../registry/generic/delete.js';
import { loopbackOptions } from '../../registry/loopback.js';
import { readStored, type ResourceStore } from '../../registry/resourcestore.js';
import type { InvitationLink, Invited, OpenInvitations } from '../login/invited.js';
import type { Seal } from '../login/sealedcookie.js';
import { keyStands, standingOf, type Holder, type People } from '../standingrights/standing.js';
import { holderIn, neededRights } from './creator.js';
import { openInvitation } from './link.js';

const MANAGER = 'invitation';

export interface InvitationParts {
  readonly invitations: ResourceStore<Invitation>;
  readonly users: ResourceStore<User>;
  readonly authorizer: Pick<Authorizer, 'authorize'>;
  readonly people: People;
  readonly seal: Seal;
  /** ms since 1970. */
  readonly now?: () => number;
}

export class Invitations implements OpenInvitations {
  constructor(private readonly parts: InvitationParts) {}

  async open(code: string): Promise<Invited | undefined> {
    const { invitations, users, seal } = this.parts;
    const link = openInvitation(seal, code);
    if (link === undefined) return undefined;
    const at = clusterScoped(link.name);
    const record = (await readStored(invitations, at))?.object();
    const user = (await readStored(users, at))?.object();
    if (record === undefined || user === undefined || !isOf(record, link, user)) return undefined;
    const { spec = {}, status = {} } = record;
    const creator = holderIn(status.invitedBy ?? {});
    const keySeconds = spec.accessKeyTTL;
    const expires = Date.parse(status.expirationTimestamp ?? '');
    if (!(expires > this.now()) || !(await this.stands(creator, link.name, keySeconds !== undefined)))
      return undefined;
    return { link, user, invitedBy: creator.name, expires, keySeconds };
  }

  async use({ link: { name, uid } }: Invited): Promise<boolean> {
    const deletion = { dryRun: [], preconditions: { uid } };
    try {
      const { invitations: store } = this.parts;
      const { outcome } = await deleteObject(store, clusterScoped(name), deletion, loopbackOptions(MANAGER));
      return outcome === 'gone' || outcome === 'removed';
    } catch (error) {
      const reason = error instanceof StatusError ? error.status.reason : undefined;
      if (reason === 'NotFound' || reason === 'Conflict') return false;
      throw error;
    }
  }

  /** Whether the creator still has the rights that the invitation rests on. */
  private async stands(creator: Holder, user: string, makesKey: boolean): Promise<boolean> {
    const { people, authorizer } = this.parts;
    const standing = standingOf(creator, people, this.now());
    if ('gone' in standing || !keyStands(creator, people, this.now())) return false;
    for (const right of neededRights(user, makesKey))
      if (!(await authorizer.authorize(standing.user, right)).allowed) return false;
    return true;
  }

  private now(): number {
    return (this.parts.now ?? Date.now)();
  }
}

/** Whether the record is that of the link, and of this User and no other of the same name. */
function isOf({ metadata }: Invitation, { uid }: InvitationLink, user: User): boolean {
  const { deletionTimestamp, ownerReferences = [] } = metadata;
  return (
    metadata.uid === uid &&
    deletionTimestamp === undefined &&
    user.metadata.deletionTimestamp === undefined &&
    user.spec?.disabled !== true &&
    ownerReferences.some((owner) => owner.uid === user.metadata.uid)
  );
}
