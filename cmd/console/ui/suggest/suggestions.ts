import { hasWords, wordsOf } from '../../client/words.js';

/** What a field suggests while somebody types. */
export interface Suggestion {
  /** What the field gets. */
  readonly id: string;
  /** What people know it by; empty: nothing more than that. */
  readonly text: string;
}

/** More than this is searched for rather than looked through. */
const MAX = 50;

/** Those in which every word is, those that begin with the first word before others. */
export function matching(suggestions: readonly Suggestion[], typed: string): Suggestion[] {
  const words = wordsOf(typed);
  const [first = ''] = words;
  const found = suggestions.filter(({ id, text }) => hasWords(`${id} ${text}`.toLowerCase(), words));
  const begins = ({ id }: Suggestion): boolean => id.toLowerCase().startsWith(first);
  return [...found.filter(begins), ...found.filter((one) => !begins(one))].slice(0, MAX);
}

/** The last name of a list that is separated by commas, and all that comes before it. */
export function lastOf(typed: string): { readonly before: string; readonly last: string } {
  const at = typed.lastIndexOf(',') + 1;
  const before = at === 0 ? '' : `${typed.slice(0, at)} `;
  return { before, last: typed.slice(at).trim() };
}
