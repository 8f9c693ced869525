/** Maps the provider's claims to a user: pure functions. */
import { LoginFailure, type Claims, type LoginIdentity, type LoginSettings } from './interface.js';

/** Groups of Kubernetes and of this service, which no provider gives to anyone. */
const RESERVED = ['system:', 'management:'];
const MAX_NAME = 200;

/** Throws LoginFailure 403 for a person who may not log in, or whose claims lack a name. */
export function identityOf(
  claims: Claims,
  { usernameClaim, usernamePrefix, groupsClaim, groupsPrefix, requiredClaims }: LoginSettings,
): LoginIdentity {
  for (const [name, value] of Object.entries(requiredClaims)) {
    const has = [claims[name]].flat().some((one) => String(one) === value);
    if (!has) throw new LoginFailure(403, `Your account may not log in here: it lacks the claim "${name}".`);
  }
  const username = text(claims[usernameClaim]);
  const name = nameOf(username);
  if (name === '')
    throw new LoginFailure(403, `Your identity provider tells no usable "${usernameClaim}" of you.`);
  const providerGroups = groupsOf(claims[groupsClaim]);
  return {
    name: endingWell(usernamePrefix + name),
    subject: claims.sub,
    username,
    displayName: text(claims.name),
    email: text(claims.email),
    emailVerified: claims.email_verified === true,
    providerGroups,
    groups: providerGroups
      .map((group) => groupsPrefix + group)
      .filter((group) => !RESERVED.some((prefix) => group.startsWith(prefix))),
  };
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

function groupsOf(value: unknown): string[] {
  const list: unknown[] = Array.isArray(value) ? value : [value];
  return [...new Set(list.filter((one): one is string => typeof one === 'string' && one !== ''))];
}

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
