/** Names of objects: those that follow from display names, and what is wrong with a name, before the server says it. */

/** Which names a kind has: labels of DNS, or several joined by dots. */
export type NameRule = 'label' | 'subdomain';

const LONGEST: Readonly<Record<NameRule, number>> = { label: 63, subdomain: 253 };
const SIGNS: Readonly<Record<NameRule, RegExp>> = { label: /^[a-z0-9-]*$/, subdomain: /^[a-z0-9.-]*$/ };
/** With the prefix of a project's namespace it is a label, too. */
const LONGEST_MADE = 50;

/** A name for an object with this display name; empty if it has no letter or digit of ASCII. */
export const nameFrom = (displayName: string): string =>
  displayName
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, LONGEST_MADE)
    .replaceAll(/^-|-$/g, '');

/** What is wrong with a name. */
export type NameProblem = 'signs' | 'ends' | 'long';

/** Undefined: nothing, or there is no name yet. */
export function nameProblem(name: string, rule: NameRule): NameProblem | undefined {
  if (name.length > LONGEST[rule]) return 'long';
  if (!SIGNS[rule].test(name)) return 'signs';
  return /^[-.]|[-.]$|\.[-.]|-\./.test(name) ? 'ends' : undefined;
}

/** Whether a secret can have an entry of this name. */
export const isEntryName = (name: string): boolean => name.length <= 253 && /^[-._a-zA-Z0-9]*$/.test(name);
