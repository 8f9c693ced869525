import { hasWords, wordsOf } from '../../client/words.js';

/** A suggestion for a text field. */
export interface Suggestion {
  /** The text that is inserted. */
  readonly id: string;
  /** The text that users know it by; empty: the id. */
  readonly text: string;
}

/** The maximum number of suggestions that are shown. */
const MAX = 50;

/** The suggestions that contain every word; those that begin with the first word come first. */
export function matching(suggestions: readonly Suggestion[], typed: string): Suggestion[] {
  const words = wordsOf(typed);
  const [first = ''] = words;
  const found = suggestions.filter(({ id, text }) => hasWords(`${id} ${text}`.toLowerCase(), words));
  const begins = ({ id }: Suggestion): boolean => id.toLowerCase().startsWith(first);
  return [...found.filter(begins), ...found.filter((one) => !begins(one))].slice(0, MAX);
}

/** The last item of a list that is separated by commas, and the text before it. */
export function lastOf(typed: string): { readonly before: string; readonly last: string } {
  const at = typed.lastIndexOf(',') + 1;
  const before = at === 0 ? '' : `${typed.slice(0, at)} `;
  return { before, last: typed.slice(at).trim() };
}
