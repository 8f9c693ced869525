import { Invitation } from '../../../api/management.svc.example/v1/invitation.js';
import { User } from '../../../api/management.svc.example/v1/user.js';
import { Invitations } from '../../../pkg/management/invitations/invitations.js';
import { CONSOLE } from '../../../pkg/management/console/paths.js';
import { invitationCode } from '../../../pkg/management/invitations/link.js';
import { createSeal } from '../../../pkg/management/login/sealedcookie.js';
import type { InvitationLinks } from '../../../pkg/management/services.js';
import { peopleOf } from '../../../pkg/management/standingrights/people.js';
import { inviterOf } from '../../../pkg/management/invitations/creator.js';
import { servedStore } from '../../../pkg/registry/resourcestore.js';
import type { LoginConfig } from '../options/loginconfig.js';
import type { Parts } from './requestparts.js';

export interface InvitationServices {
  readonly invitations: Invitations;
  /** Makes links. */
  readonly links: InvitationLinks;
}

export function openInvitations(
  { registry, identities, authorizer, pepper }: Parts,
  { externalUrl, provider }: LoginConfig,
): InvitationServices {
  const people = peopleOf(registry.cache, identities);
  const seal = createSeal(pepper);
  const base = externalUrl?.replace(/\/$/, '') ?? '';
  return {
    invitations: new Invitations({
      invitations: servedStore(registry.stores, Invitation),
      users: servedStore(registry.stores, User),
      authorizer,
      people,
      seal,
    }),
    links: {
      hasProvider: provider !== undefined,
      link: (of, lifeMs) => `${base}${CONSOLE}/#invitation=${invitationCode(seal, of, lifeMs)}`,
      creator: (user) => inviterOf(user, people, Date.now()),
    },
  };
}
