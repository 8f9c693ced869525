/**
 * Values of the `Warning` response header (`k8s.io/apimachinery/pkg/util/net.NewWarningHeader`, recorder of
 * `k8s.io/apiserver/pkg/endpoints/filters/warning.go`).
 */

const TOTAL_CHARACTERS = 4096;
const ITEM_CHARACTERS = 256;
const CODE = 299;

/** `299 - "text"`. An empty agent is `-`. Throws RangeError for text that a header cannot have. */
export function warningHeader(code: number, agent: string, text: string): string {
  if (code < 0 || code > 999) throw new RangeError('code must be between 0 and 999');
  if (/[ "\\\p{Cc}]/u.test(agent)) {
    throw new RangeError(
      'agent must be valid UTF-8 and must not contain spaces, quotes, backslashes, or control characters',
    );
  }
  if (/\p{Cc}/u.test(text))
    throw new RangeError('text must be valid UTF-8 and must not contain control characters');
  return `${String(code).padStart(3, '0')} ${agent === '' ? '-' : agent} "${text.replace(/["\\]/g, '\\$&')}"`;
}

/**
 * One value for each distinct text, in order. Texts with control characters are omitted. If all together exceed 4096
 * characters, each is truncated to 256 and those past 4096 are omitted.
 */
export function warningHeaders(texts: readonly string[]): string[] {
  const distinct = [...new Set(texts)].filter((text) => text !== '' && !/\p{Cc}/u.test(text));
  const total = distinct.reduce((sum, text) => sum + lengthOf(text), 0);
  if (total <= TOTAL_CHARACTERS) return distinct.map((text) => warningHeader(CODE, '', text));
  const headers: string[] = [];
  let written = 0;
  for (const text of distinct) {
    if (written >= TOTAL_CHARACTERS) break;
    const characters = [...text.slice(0, 2 * ITEM_CHARACTERS)].slice(0, ITEM_CHARACTERS);
    written += characters.length;
    headers.push(warningHeader(CODE, '', characters.join('')));
  }
  return headers;
}

/** In characters; of a text that is too long in any case, its units of UTF-16. */
const lengthOf = (text: string): number =>
  text.length > 2 * TOTAL_CHARACTERS ? text.length : [...text].length;
