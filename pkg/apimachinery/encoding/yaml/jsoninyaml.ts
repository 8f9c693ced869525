/**
 * What YAML reads in another way than JSON: escapes that it only has in pairs or not at all, characters that it does
 * not allow or has as line breaks, and a space before a colon, which may be too far from its key.
 */
const OTHERWISE = /\\(?:u[dD][89a-fA-F]|\/)|[\s\x85]:|[\x7f-\x9f\u2028\u2029\ufffe\uffff]/;
/** A tab may neither begin a document nor follow one on another line. */
const AROUND = /^[ \r\n]*$/;
/** The maximum length of a key in YAML, in characters of its text. */
const MAX_KEY = 1024;
const WINDOW = MAX_KEY / 2;
const BACKSLASH = 0x5c;

/** Whether `sigs.k8s.io/yaml` reads a text of JSON, an object, as JSON is read. May be false where it does. */
export function isYamlToo(json: string): boolean {
  const before = json.slice(0, json.indexOf('{'));
  const after = json.slice(json.lastIndexOf('}') + 1);
  if (!AROUND.test(before) || !AROUND.test(after) || OTHERWISE.test(json)) return false;
  return !hasLongString(json) || !hasLongKey(json);
}

/** Whether any string is about as long as a key may be: one that is longer fills a whole window. */
function hasLongString(json: string): boolean {
  for (let at = 0; at < json.length; at += WINDOW) {
    let quote = json.indexOf('"', at);
    while (quote !== -1 && isEscaped(json, quote)) quote = json.indexOf('"', quote + 1);
    if (quote === -1) return false;
    if (quote - at >= WINDOW) return true;
  }
  return false;
}

function hasLongKey(json: string): boolean {
  let last = 0;
  for (let end = json.indexOf('":'); end !== -1; end = json.indexOf('":', end + 1)) {
    if (isEscaped(json, end)) continue;
    if (end - last >= MAX_KEY && end - keyStart(json, end) >= MAX_KEY) return true;
    last = end;
  }
  return false;
}

function isEscaped(json: string, at: number): boolean {
  let start = at;
  while (json.charCodeAt(start - 1) === BACKSLASH) start--;
  return (at - start) % 2 === 1;
}

/** Where the string begins that ends here, or somewhere in it if it is too long for a key. */
function keyStart(json: string, end: number): number {
  let start = json.lastIndexOf('"', end - 1);
  while (end - start < MAX_KEY && isEscaped(json, start)) start = json.lastIndexOf('"', start - 1);
  return start;
}
