/** Decides a request by the rights on an object. */
import { ALL, type ObjectRight } from '../rights.js';
import type { User } from '../../../authentication/interface.js';
import type { Decision } from '../../../authorization/interface.js';
import type { Rights } from './kindindex.js';

/** A request for an object. */
export interface Asked {
  readonly verb: string;
  /** `''` for the object itself. */
  readonly subresource: string;
}

type Caller = Pick<User, 'name' | 'groups'>;

const NO_OPINION: Decision = { allowed: false, reason: '' };
const ALLOWED: Readonly<Record<ObjectRight['by'], Decision>> = {
  owner: { allowed: true, reason: 'allowed by spec.owner of the object' },
  access: { allowed: true, reason: 'allowed by spec.access of the object' },
  members: { allowed: true, reason: 'allowed by spec.members of the object' },
};

export function decideByObject(rights: Rights, user: Caller, asked: Asked): Decision {
  for (const right of rights) if (covers(right, asked) && isSubject(right, user)) return ALLOWED[right.by];
  return NO_OPINION;
}

/** As whom others act on an object is not for those to say who share it. */
const IMPERSONATE = 'impersonate';

/** Whether a right includes the request, for any user. */
export function covers({ verbs, subresources, except }: ObjectRight, { verb, subresource }: Asked): boolean {
  if (verb.startsWith(IMPERSONATE) || (!verbs.includes(verb) && !verbs.includes(ALL))) return false;
  if (subresource === '' || subresources.includes(subresource)) return true;
  return subresources.includes(ALL) && !except?.includes(subresource);
}

export function isSubject({ users, groups }: ObjectRight, { name, groups: own }: Caller): boolean {
  if (has(users, name)) return true;
  return groups.length > 0 && own.some((group) => has(groups, group));
}

/** From here on a set is quicker. */
const MANY = 16;
const sets = new WeakMap<readonly string[], ReadonlySet<string>>();

function has(names: readonly string[], name: string): boolean {
  if (names.length < MANY) return names.includes(name);
  let set = sets.get(names);
  if (set === undefined) sets.set(names, (set = new Set(names)));
  return set.has(name);
}
