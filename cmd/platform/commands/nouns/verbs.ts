/** Verbs that people write for one that requests have. */
import { similar } from '../../../../pkg/apimachinery/similar.js';

const MEANT: Readonly<Record<string, string>> = {
  read: 'get',
  view: 'get',
  show: 'get',
  write: 'update',
  edit: 'update',
  change: 'update',
  add: 'create',
  remove: 'delete',
};

/** `; did you mean get?`, or nothing if no verb is similar. */
export function verbSuggestion(verb: string, known: readonly string[]): string {
  const found = similar(verb, [...known, ...Object.keys(MEANT)]);
  return found === undefined ? '' : `; did you mean ${MEANT[found] ?? found}?`;
}
