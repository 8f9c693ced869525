/** What of a request the host is asked, and as whom. */
import type { User } from '../../authentication/interface.js';
import type { Attributes } from '../interface.js';

const OUR_GROUP = 'management.svc.example';
const AUTHENTICATED = 'system:authenticated';

/** Nobody but the group of all who are authenticated. */
export const EVERYONE: User = { name: '', uid: '', groups: [AUTHENTICATED], extra: {} };

/**
 * Without the group of all who are authenticated where our kinds are asked for: a server in front lets it ask for everything.
 * The same user where that is no difference.
 */
export function askedAs(user: User, attributes: Attributes): User {
  if (attributes.kind !== 'resource' || attributes.group !== OUR_GROUP) return user;
  if (!user.groups.includes(AUTHENTICATED)) return user;
  return { ...user, groups: user.groups.filter((group) => group !== AUTHENTICATED) };
}

/** The same of all objects; undefined where that is what is asked. */
export function wideOf(attributes: Attributes): Attributes | undefined {
  if (attributes.kind !== 'resource' || (attributes.name === '' && !isNarrowed(attributes))) return undefined;
  const { fieldSelector: _fields, labelSelector: _labels, ...rest } = attributes;
  return { ...rest, name: '' };
}

/** Whether selectors limit what is asked for: roles know nothing of these. */
export const isNarrowed = (attributes: Attributes): boolean =>
  attributes.kind === 'resource' &&
  (attributes.fieldSelector !== undefined || attributes.labelSelector !== undefined);
