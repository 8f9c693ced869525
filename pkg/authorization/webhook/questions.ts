/** Builds the user and attributes of a SubjectAccessReview. */
import type { User } from '../../authentication/interface.js';
import type { Attributes } from '../interface.js';

const AUTHENTICATED = 'system:authenticated';

/** A user with the group of all authenticated users alone. */
export const EVERYONE: User = { name: '', uid: '', groups: [AUTHENTICATED], extra: {} };

/**
 * The user without the group of all authenticated users in reviews of `forwarded`, the API group whose kinds
 * the host lets everybody request. The same object if nothing changes.
 */
export function askedAs(user: User, attributes: Attributes, forwarded: string): User {
  if (attributes.kind !== 'resource' || attributes.group !== forwarded) return user;
  if (!user.groups.includes(AUTHENTICATED)) return user;
  return { ...user, groups: user.groups.filter((group) => group !== AUTHENTICATED) };
}

/** The same attributes for all objects; undefined if these are the attributes already. */
export function wideOf(attributes: Attributes): Attributes | undefined {
  if (attributes.kind !== 'resource' || (attributes.name === '' && !isNarrowed(attributes))) return undefined;
  const { fieldSelector: _fields, labelSelector: _labels, ...rest } = attributes;
  return { ...rest, name: '' };
}

/** Whether the request has selectors, which roles cannot express. */
export const isNarrowed = (attributes: Attributes): boolean =>
  attributes.kind === 'resource' &&
  (attributes.fieldSelector !== undefined || attributes.labelSelector !== undefined);
