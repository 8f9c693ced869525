import { CREATE_UNLIMITED } from '../../client/accesskeys.js';
import { INVITATIONS } from '../../client/invitations.js';
import { USERS } from '../../client/people.js';
import { useMay } from '../../client/reviews.js';
import { sessionState } from '../../session/session.js';

export interface Inviting {
  /** Whether the current user may invite a user whom no login of the identity provider is connected to. */
  readonly may: boolean;
  /** Whether such a user gets a first access key, as nobody logs in otherwise. */
  readonly needsKey: boolean;
}

/** For new users, whose names are not known yet. */
export function useInviting(): Inviting {
  const anyone = { namespace: '', name: '' };
  const mayCreate = useMay({ ...anyone, verb: 'create', resource: INVITATIONS });
  const mayAct = useMay({ ...anyone, verb: 'impersonate', group: '', resource: USERS });
  const mayMakeKey = useMay(CREATE_UNLIMITED);
  const needsKey = !sessionState().providerLogin;
  return { may: mayCreate && mayAct && (mayMakeKey || !needsKey), needsKey };
}
