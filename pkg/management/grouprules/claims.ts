/** The claims that rules look at, within bounds: pure functions. */
import type { User } from '../../../api/management.svc.example/v1/user.js';
import { isObject, membersOf } from '../../apimachinery/encoding/members.js';

/** The last login of a person, as their User has it. */
export type LoginRecord = NonNullable<NonNullable<User['status']>['login']>;

export interface JudgedClaim {
  readonly name: string;
  readonly values: string[];
}

export interface JudgedClaims {
  readonly claims: JudgedClaim[];
  /** What was left out, and why. */
  readonly notes: readonly string[];
}

/** Of one claim: a longer list is left out as a whole, so that nobody has a chance part of their groups. */
export const MAX_VALUES = 1000;
/** Of one value, and of all values together, in characters. */
const MAX_VALUE = 256;
const MAX_CHARACTERS = 65_536;
const MAX_DEPTH = 5;
/** Claims in which Entra ID says that there are more groups than it sends. */
const OVERAGE = ['_claim_names', 'hasgroups'];

/** The values of these claims. Texts, numbers, booleans and lists of texts count; nothing else does. */
export function judgedClaims(
  claims: Readonly<Record<string, unknown>>,
  names: Iterable<string>,
): JudgedClaims {
  const found: JudgedClaim[] = [];
  const notes: string[] = [];
  let characters = 0;
  for (const name of new Set(names)) {
    const values = valuesOf(claimNamed(claims, name));
    const size = values.reduce((sum, value) => sum + value.length, 0);
    if (values.length === 0) {
      if (isOverage(claims, name)) notes.push(overageNote(name));
    } else if (values.length > MAX_VALUES) notes.push(manyNote(name, values.length));
    else if (characters + size > MAX_CHARACTERS) notes.push(longNote(name));
    else {
      characters += size;
      found.push({ name, values });
    }
  }
  return { claims: found, notes };
}

/** A claim of this name, else the member that the names between dots lead to. */
export function claimNamed(claims: Readonly<Record<string, unknown>>, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  const path = name.split('.');
  if (path.length > MAX_DEPTH) return undefined;
  let value: unknown = claims;
  for (const member of path) {
    if (!isObject(value) || !Object.hasOwn(value, member)) return undefined;
    value = value[member];
  }
  return value;
}

function valuesOf(claim: unknown): string[] {
  const alone = typeof claim === 'number' || typeof claim === 'boolean' ? String(claim) : claim;
  const list: readonly unknown[] = Array.isArray(alone) ? alone : [alone];
  const texts = list.filter((value): value is string => typeof value === 'string');
  return [...new Set(texts.filter((value) => value !== '' && value.length <= MAX_VALUE))];
}

function isOverage(claims: Readonly<Record<string, unknown>>, name: string): boolean {
  const [names = '', has = ''] = OVERAGE;
  return Object.hasOwn(membersOf(claims[names]), name) || (name === 'groups' && claims[has] === true);
}

const overageNote = (name: string): string =>
  `${name}: the provider sends no list, as it would be too long. Let it send only the groups that are assigned to the application, or app roles (claim roles).`;
const manyNote = (name: string, count: number): string =>
  `${name}: it has ${count} values, and at most ${MAX_VALUES} are judged. Let the provider send fewer.`;
const longNote = (name: string): string =>
  `${name}: it is longer than ${MAX_CHARACTERS} characters with the claims before it. Let the provider send fewer values.`;
