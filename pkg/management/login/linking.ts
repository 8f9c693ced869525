/** Connects a login of the provider to a User that exists: by an invitation, or by a verified e-mail address. */
import { User } from '../../../api/management.svc.example/v1/user.js';
import { asKind } from '../../../api/resource.js';
import { quote } from '../../apimachinery/errors.js';
import { isSameIssuer } from '../grouprules/ruleset.js';
import type { ResourceStore } from '../../registry/resourcestore.js';
import type { Invited } from './invited.js';
import { LoginFailure, type LoginIdentity, type LoginSettings } from './interface.js';
import { changeUser } from './profile.js';

/** A User without a login, at the time when it was read. */
type Unlinked = Pick<User, 'metadata' | 'spec'>;

/** Sets the subject. Rejects with LoginFailure 403 if the User is another one by now, or not free any more. */
export const linkUser = (
  users: ResourceStore,
  { metadata: { name = '', uid } }: Unlinked,
  { subject }: LoginIdentity,
): Promise<void> =>
  changeUser(users, name, (live) => {
    const { spec = {} } = asKind(User, live);
    const isFree = (spec.subject ?? '') === '' && spec.disabled !== true;
    if (live.metadata.uid !== uid || live.metadata.deletionTimestamp !== undefined || !isFree)
      throw new LoginFailure(403, 'The user was changed at the same time. Log in again.');
    return { ...live, spec: { ...spec, subject } };
  });

/** Removes the subject, if it is still this one. */
export const unlinkUser = (
  users: ResourceStore,
  { metadata: { name = '', uid } }: Unlinked,
  { subject }: LoginIdentity,
): Promise<void> =>
  changeUser(users, name, (live) => {
    const { subject: current, ...spec } = asKind(User, live).spec ?? {};
    return live.metadata.uid === uid && current === subject ? { ...live, spec } : live;
  });

/** Whether an invitation and a login fit. `own`: the User of the login, if there is one. Throws LoginFailure 403. */
export function checkInvited({ user, link }: Invited, own: User | undefined): void {
  if (own !== undefined && own.metadata.uid !== user.metadata.uid)
    throw new LoginFailure(
      403,
      `This login belongs to the user ${quote(own.metadata.name ?? '')} already, and a login is of one user. Log in with another account, or ask an administrator to remove the subject of that user.`,
    );
  if (own === undefined && (user.spec?.subject ?? '') !== '')
    throw new LoginFailure(403, `The user ${quote(link.name)} has another login already.`);
}

/** A subject is one person at one provider: another may have given it to somebody else. Throws LoginFailure 403. */
export function checkIssuer(
  { metadata: { name = '' }, status }: User,
  { issuer }: Pick<LoginSettings, 'issuer'>,
): void {
  const { issuer: before = issuer } = status?.login ?? {};
  if (!isSameIssuer(before, issuer))
    throw new LoginFailure(
      403,
      `The user ${quote(name)} has logged in with another identity provider, ${before}. If this is the same person, an administrator can connect the login again: "platform link user ${name} --remove", then "--subject".`,
    );
}

export interface EmailParts {
  readonly users: Iterable<User>;
  /** Whether a user has the rights of an administrator. */
  readonly isAdministrator: (name: string) => Promise<boolean>;
}

/**
 * The one User with exactly the verified address of the login, and without a login; undefined if there is none. Rejects with
 * LoginFailure 403 if there are several, or it is an administrator.
 */
export async function userByEmail(
  { email, emailVerified, subject }: LoginIdentity,
  { users, isAdministrator }: EmailParts,
): Promise<User | undefined> {
  if (!emailVerified || email === '') return undefined;
  const found = [...users].filter(({ spec }) => spec?.email === email && (spec.subject ?? '') === '');
  const [user, another] = found;
  if (user === undefined) return undefined;
  const { name = '' } = user.metadata;
  const remedy = linkRemedy('NAME', subject);
  if (another !== undefined)
    throw new LoginFailure(403, `Several users without a login have your e-mail address. ${remedy}`);
  if (await isAdministrator(name))
    throw new LoginFailure(
      403,
      `The user ${quote(name)} has your e-mail address and the rights of an administrator, and no address is enough for these. ${linkRemedy(name, subject)}`,
    );
  return user;
}

/** A new User would have the name of another one. */
export function nameTaken({ name, subject }: LoginIdentity, taken: User | undefined): LoginFailure {
  const isFree = (taken?.spec?.subject ?? '') === '';
  return new LoginFailure(
    403,
    isFree
      ? `There is a user ${quote(name)} already, who has no login yet. ${linkRemedy(name, subject)}`
      : `The user ${quote(name)} belongs to another login. An administrator can invite you as a user with another name: "platform invite NAME".`,
  );
}

const linkRemedy = (name: string, subject: string): string =>
  `An administrator can make it yours: "platform invite ${name}" makes a link for you, and "platform link user ${name} --subject ${inShell(subject)}" connects this login.`;

/** Subjects of some providers have signs of the shell: `auth0|5f7c8ec7c33c6c004bbafe82`. */
const inShell = (text: string): string =>
  /^[\w.@:+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
