/** Matches strings that need no escapes, neither in JSON nor in Go's HTML-safe JSON. */
const PLAIN = /^[ !#-%'-;=?-[\]-~]*$/;
const HTML = /[<>&\u2028\u2029]/;
const HTML_ALL = /[<>&\u2028\u2029]/g;
const ESCAPE: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

/** JSON of a string as Go's `encoding/json` writes it: `<`, `>`, `&`, U+2028 and U+2029 escaped. */
export function encodeString(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : escapeHtml(JSON.stringify(text));
}

/** Escapes characters that Go escapes and JSON.stringify does not. They only occur inside strings. */
export function escapeHtml(json: string): string {
  return HTML.test(json) ? json.replace(HTML_ALL, (character) => ESCAPE[character]!) : json;
}

/** Lone surrogates become U+FFFD. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}
