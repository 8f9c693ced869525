/** Maps the provider's claims to a user: pure functions. */
import { LoginFailure, type ClaimedIdentity, type Claims, type LoginSettings } from './interface.js';

import { judgedClaims } from '../grouprules/claims.js';

/** Groups of Kubernetes and of this service, which no provider gives to anyone. */
const RESERVED = ['system:', 'management:'];
const MAX_NAME = 200;

/**
 * Throws LoginFailure 403 for a person who may not log in, or whose claims lack a name. `wanted`: the claims that group
 * rules look at.
 */
export function identityOf(
  claims: Claims,
  { usernameClaim, usernamePrefix, groupsClaim, requiredClaims }: LoginSettings,
  wanted: Iterable<string> = [],
): ClaimedIdentity {
  for (const [name, value] of Object.entries(requiredClaims)) {
    const has = [claims[name]].flat().some((one) => String(one) === value);
    if (!has) throw new LoginFailure(403, `Your account may not log in here: it lacks the claim "${name}".`);
  }
  const username = text(claims[usernameClaim]);
  const name = nameOf(username);
  if (name === '')
    throw new LoginFailure(403, `Your identity provider tells no usable "${usernameClaim}" of you.`);
  const judged = judgedClaims(claims, [groupsClaim, ...wanted]);
  const isGroups = (one: { readonly name: string }): boolean => one.name === groupsClaim;
  return {
    name: endingWell(usernamePrefix + name),
    subject: claims.sub,
    session: text(claims.sid),
    username,
    displayName: text(claims.name),
    email: text(claims.email),
    emailVerified: claims.email_verified === true,
    providerGroups: judged.claims.find(isGroups)?.values ?? [],
    claims: judged.claims.filter((one) => !isGroups(one)),
    notes: judged.notes,
  };
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The further groups of the person's requests. */
export const requestGroups = (
  { providerGroups }: Pick<ClaimedIdentity, 'providerGroups'>,
  { groupsPrefix }: Pick<LoginSettings, 'groupsPrefix'>,
): string[] =>
  providerGroups
    .map((group) => groupsPrefix + group)
    .filter((group) => !RESERVED.some((prefix) => group.startsWith(prefix)));

/** A name as objects have it: `Anna.B@example.com` is `anna.b-example.com`. */
export function nameOf(username: string): string {
  return username
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9.-]+/g, '-')
    .replace(/[.-]*\.[.-]*/g, '.')
    .slice(0, MAX_NAME)
    .replace(/^[.-]+|[.-]+$/g, '');
}

const endingWell = (name: string): string => name.slice(0, MAX_NAME).replace(/[.-]+$/, '');
