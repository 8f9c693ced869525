/** Invitations, as a login accepts them. */
import type { User } from '../../../api/management.svc.example/v1/user.js';
import type { LoginKey } from './accesskey.js';

/** Whatever ended a link: its bearer learns no more. */
export const INVITATION_OVER =
  'this invitation was used before, was revoked, or is too old: ask for another one';

export interface InvitationLink {
  /** The name of the User, and of the record. */
  readonly name: string;
  /** Of the record. */
  readonly uid: string;
}

/** An invitation that can be accepted now. */
export interface Invited {
  readonly link: InvitationLink;
  readonly user: User;
  /** The user name of the creator. */
  readonly invitedBy: string;
  /** In ms since 1970. */
  readonly expires: number;
  /** The lifetime of the first access key, in seconds; undefined: it makes none. */
  readonly keySeconds: number | undefined;
}

/** An invitation that was accepted, and the key that its person got. */
export interface Acceptance {
  readonly invited: Invited;
  readonly key: LoginKey;
}

export interface OpenInvitations {
  /** Undefined: it is over. A code that was not made here reads nothing. Rejects with StorageError. */
  open(code: string): Promise<Invited | undefined>;
  /** Uses the invitation: true for one caller only, on any server. Rejects with StorageError or StatusError. */
  use(invited: Invited): Promise<boolean>;
}
