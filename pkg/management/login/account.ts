/** The objects of a login: a User, and an access key of the type `Login`. */
import { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import { User } from '../../../api/management.svc.example/v1/user.js';
import { asKind, type KubeObject, clusterScoped } from '../../../api/resource.js';
import { generateKey } from '../accesskeys/accesskey.js';
import { deviceKeyName, loginKeyName } from './record/loginkeyname.js';
import { isAlreadyExists } from '../../apimachinery/errors.js';
import { readStored, type ResourceStore } from '../../registry/resourcestore.js';
import { updateObject } from '../../registry/generic/update.js';
import { loopbackOptions } from '../../registry/loopback.js';
import type { LoginKey } from './accesskey.js';
import { createUser, updateUser } from './profile.js';
import { INVITATION_OVER, type Acceptance, type Invited, type OpenInvitations } from './invited.js';
import {
  checkInvited,
  checkIssuer,
  linkUser,
  nameTaken,
  unlinkUser,
  userByEmail,
  type EmailParts,
} from './linking.js';
import { createSessionKey, orEndSession } from './sessionlimit.js';
import { LoginFailure, type LoginIdentity, type LoginSettings } from './interface.js';
import type { LoginRefresh } from './refresh/loginrefresh.js';
import type { EndedLogins } from './backchannel/endedlogins.js';
import type { UsedLogins } from './usedlogins.js';
import { parseStored } from '../../apimachinery/encoding/parsestored.js';
import { groupsOfKey, providerGroupsOfKey, recordLogin } from './record/loginrecord.js';

const FIELD_MANAGER = 'login';
const OPTIONS = loopbackOptions(FIELD_MANAGER);

export interface AccountParts {
  readonly users: ResourceStore;
  readonly keys: ResourceStore;
  readonly settings: Pick<
    LoginSettings,
    'issuer' | 'keyTtlSeconds' | 'linkVerifiedEmail' | 'groupsClaim' | 'groupsPrefix' | 'refreshMs'
  >;
  readonly usedLogins: Pick<UsedLogins, 'use'>;
  readonly endedLogins: Pick<EndedLogins, 'has'>;
  readonly invitations: OpenInvitations;
  /** Undefined: the provider is not asked again. */
  readonly refreshes: Pick<LoginRefresh, 'keep'> | undefined;
  readonly isAdministrator: EmailParts['isAdministrator'];
}

export class Accounts {
  constructor(private readonly parts: AccountParts) {}

  /**
   * Creates or updates the User of the person from the provider's claims; returns its name. Rejects with LoginFailure
   * 403 for a disabled User, and for the User of another person.
   */
  async admit(identity: LoginIdentity): Promise<string> {
    const { users } = this.parts;
    const known = this.bySubject(identity.subject) ?? (await this.linkedByEmail(identity));
    const made = known ?? (await createUser(users, identity));
    const user = made ?? this.bySubject(identity.subject);
    // The name is not enough: the provider's subject must be the one in the User.
    if (user === undefined)
      throw nameTaken(identity, asKind(User, users.cache.latest().get(identity.name)?.object()));
    checkEnabled(user);
    checkIssuer(user, this.parts.settings);
    const name = user.metadata.name ?? '';
    if (known !== undefined) await updateUser(users, name, identity);
    return name;
  }

  /** The User of an invitation that the login can accept; nothing is changed. Rejects with LoginFailure 403. */
  async invited(identity: LoginIdentity, code: string): Promise<string> {
    return (await this.fitting(identity, code)).link.name;
  }

  /**
   * Accepts an invitation, once: connects the login to the User, and creates a key. A failure leaves the invitation
   * open. `login`: as of {@link Accounts.createKey}. Rejects with LoginFailure.
   */
  async accept(identity: LoginIdentity, code: string, login: string): Promise<Acceptance> {
    const { users, keys, invitations } = this.parts;
    const invited = await this.fitting(identity, code);
    const { user, link } = invited;
    const isLinked = user.spec?.subject === identity.subject;
    await this.useLogin(login);
    if (!isLinked) await linkUser(users, user, identity);
    const accepted = async (): Promise<LoginKey> => {
      const key = await this.makeKey(link.name, identity, login);
      await orEndSession(keys, key, FIELD_MANAGER, async () => {
        if (!(await invitations.use(invited))) throw invitationOver();
      });
      return key;
    };
    const key = await accepted().catch(async (error: unknown) => {
      if (!isLinked) await unlinkUser(users, user, identity);
      throw error;
    });
    await updateUser(users, link.name, identity);
    return { invited, key };
  }

  /**
   * Creates a key of that User, and records the claims for group rules. `login`: succeeds once for each login, else
   * LoginFailure 400, as for a login that has ended since. `waiting`: nobody receives the key; the device of the login
   * fetches one.
   */
  async createKey(user: string, identity: LoginIdentity, login: string, waiting?: true): Promise<LoginKey> {
    await this.checkCurrent(user, identity, waiting);
    await this.useLogin(login);
    return this.makeKey(user, identity, login, waiting);
  }

  private async useLogin(login: string): Promise<void> {
    if (!(await this.parts.usedLogins.use(login))) throw usedAlready();
  }

  private async makeKey(
    user: string,
    identity: LoginIdentity,
    login: string,
    waiting?: true,
  ): Promise<LoginKey> {
    const { users, keys, settings } = this.parts;
    const { keyTtlSeconds: ttl } = settings;
    const name = waiting === true ? deviceKeyName(login) : loginKeyName(user, login, identity.session);
    const displayName = waiting === true ? WAITING : 'Login';
    const key = {
      user,
      type: 'Login',
      ttl,
      displayName,
      groups: groupsOfKey(identity, settings),
      identity: identityField(identity, settings.issuer),
    };
    const created = await createSessionKey(keys, name, key, FIELD_MANAGER).catch((error: unknown) => {
      throw isAlreadyExists(error) ? usedAlready() : error;
    });
    await orEndSession(keys, created, FIELD_MANAGER, async () => {
      // Whatever ended the login meanwhile did not see the key.
      await this.checkCurrent(user, identity, waiting);
      await recordLogin(users, user, identity, settings, Date.now() + ttl * 1000);
      await this.parts.refreshes?.keep(created, user, identity);
    });
    return created;
  }

  /**
   * The key of a device's login, once. Rejects with LoginFailure 400, `authorization_pending` if there is none yet.
   */
  async fetchKey(login: string): Promise<LoginKey> {
    const { keys } = this.parts;
    const name = deviceKeyName(login);
    if ((await readStored(keys, clusterScoped(name))) === undefined)
      throw new LoginFailure(400, 'The login is not confirmed.', 'authorization_pending');
    const key = generateKey();
    const { bytes } = await updateObject(
      keys,
      { namespace: '', name, subresource: '', change: fetchedAs(key), versionRequired: false },
      OPTIONS,
    );
    const { metadata, spec = {} } = parseStored<OwnedAccessKey>(bytes);
    const age = Math.floor((Date.now() - Date.parse(metadata.creationTimestamp ?? '')) / 1000);
    const expiresInSeconds = Math.max((spec.ttl ?? 0) - age, 0);
    return { name, uid: metadata.uid ?? '', key, user: spec.user ?? '', expiresInSeconds };
  }

  /** Throws LoginFailure 400 if the provider has announced a logout since, or the login is not the User's any more. */
  private async checkCurrent(user: string, identity: LoginIdentity, waiting?: true): Promise<void> {
    const { users, endedLogins, settings } = this.parts;
    const stored = asKind(User, (await readStored(users, clusterScoped(user)))?.object());
    if (stored !== undefined) checkIssuer(stored, settings);
    const isOver = stored?.spec?.subject !== identity.subject;
    if (!isOver && !(await endedLogins.has(identity, waiting === true))) return;
    throw new LoginFailure(400, 'This login has ended. Log in again.', 'invalid_grant');
  }

  private async fitting(identity: LoginIdentity, code: string): Promise<Invited> {
    const invited = await this.parts.invitations.open(code);
    if (invited === undefined) throw invitationOver();
    checkInvited(invited, this.bySubject(identity.subject));
    return invited;
  }

  private async linkedByEmail(identity: LoginIdentity): Promise<User | undefined> {
    const { settings, users, isAdministrator } = this.parts;
    if (!settings.linkVerifiedEmail) return undefined;
    const user = await userByEmail(identity, { users: this.all(), isAdministrator });
    if (user === undefined) return undefined;
    checkEnabled(user);
    await linkUser(users, user, identity);
    return user;
  }

  private bySubject(subject: string): User | undefined {
    for (const user of this.all()) if (user.spec?.subject === subject) return user;
    return undefined;
  }

  private *all(): Generator<User> {
    for (const entry of this.parts.users.cache.latest().entries('')) yield asKind(User, entry.object());
  }
}

function checkEnabled({ spec, metadata }: User): void {
  if (spec?.disabled === true || metadata.deletionTimestamp !== undefined)
    throw new LoginFailure(403, 'Your account is disabled.');
}

/** A concurrent change of the key, such as disabling it, prevails: its generation never repeats. */
function fetchedAs(key: string): (live: KubeObject) => KubeObject {
  return (live) => {
    if (live.metadata.generation !== 1 || live.metadata.deletionTimestamp !== undefined) throw usedAlready();
    return structuredClone({
      ...live,
      spec: { ...asKind(OwnedAccessKey, live).spec, displayName: 'Login', key },
    });
  };
}

function identityField(
  identity: LoginIdentity,
  issuer: string,
): NonNullable<OwnedAccessKey['spec']>['identity'] {
  const { subject, username, displayName, email, emailVerified } = identity;
  return {
    userId: subject,
    username,
    preferredUsername: displayName === '' ? username : displayName,
    ...(email !== '' && { Email: email, EmailVerified: emailVerified }),
    Groups: providerGroupsOfKey(identity),
    ConnectorData: JSON.stringify({ issuer }),
  };
}

const invitationOver = (): LoginFailure =>
  new LoginFailure(403, `${INVITATION_OVER[0]?.toUpperCase()}${INVITATION_OVER.slice(1)}.`);

const WAITING = 'Login of a device, which has not fetched its key yet';
const usedAlready = (): LoginFailure =>
  new LoginFailure(400, 'This login was used already. Log in again.', 'invalid_grant');
