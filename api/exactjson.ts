/**
 * JSON with integers as Kubernetes has them (`k8s.io/apimachinery/pkg/util/json`): one that is an int64 but no safe
 * integer of JavaScript is a `bigint`, and every other number a `number`. `JSON.stringify` writes both.
 */

/** A quick look, which may also find digits in a text: V8 skips over what cannot match. */
const LONG_INTEGER = /[:[,\s-]\d{16}|^\d{16}/;
const TOKEN = /-?[1-9]\d{15,18}(?![\d.eE])/y;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Nobody else writes such a text. */
const MARK = `integer ${globalThis.crypto.getRandomValues(new Uint32Array(4)).join('-')} `;

/** `JSON.parse`, with such integers. Throws SyntaxError. */
export function parseExact(text: string): ReturnType<typeof JSON.parse> {
  const steps = exactSteps(text);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** The same in steps, for long texts of others. */
export function* exactSteps(text: string): Generator<void, ReturnType<typeof JSON.parse>, void> {
  if (!LONG_INTEGER.test(text)) return JSON.parse(text);
  const marked = withMarks(text);
  yield;
  if (marked === undefined) return JSON.parse(text);
  const value: unknown = JSON.parse(marked);
  yield;
  return restored(value);
}

/** The integer as such a value: a `number` if that is exact; undefined if it is no int64. */
export function int64(value: bigint): bigint | number | undefined {
  if (BigInt.asIntN(64, value) !== value) return undefined;
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

export const isNumber = (value: unknown): value is number | bigint =>
  typeof value === 'number' || typeof value === 'bigint';

export const isInteger = (value: unknown): value is number | bigint =>
  typeof value === 'bigint' || Number.isInteger(value);

/** Whether a `bigint` and a `number`, such as that of `1e16`, are equal: as two of a type are by `===`. */
export function isSameNumber(one: unknown, other: unknown): boolean {
  if (typeof one === 'bigint' && typeof other === 'number')
    return Number.isInteger(other) && BigInt(other) === one;
  return typeof other === 'bigint' && typeof one === 'number' && isSameNumber(other, one);
}

/** The index of the closing quote of the string at `start`; the end of the text if there is none. */
export function endOfString(source: string, start: number): number {
  for (let end = source.indexOf('"', start + 1); end !== -1; end = source.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (source.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return source.length;
}

/** A text for each long integer outside of texts; undefined if there is none. */
function withMarks(text: string): string | undefined {
  const pieces: string[] = [];
  let [done, before] = [0, 0x20];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (mayBegin(code) && mayPrecede(before)) {
      TOKEN.lastIndex = at;
      const [digits] = TOKEN.exec(text) ?? [];
      if (digits !== undefined && typeof int64(BigInt(digits)) === 'bigint') {
        pieces.push(text.slice(done, at), `"${MARK}${digits}"`);
        done = at + digits.length;
        at = done - 1;
      }
    }
    before = code;
  }
  return pieces.length === 0 ? undefined : pieces.join('') + text.slice(done);
}

const mayBegin = (code: number): boolean => (code >= 0x31 && code <= 0x39) || code === 0x2d;

/** Space, a comma, a colon or a bracket. */
const mayPrecede = (code: number): boolean => code <= 0x20 || code === 0x2c || code === 0x3a || code === 0x5b;

/** Lists have names, too. */
const isContainer = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** Modifies `value`; without recursion, as texts of others nest as they like. */
function restored(value: unknown): unknown {
  const root: Record<string, unknown> = { value };
  const open = [root];
  for (let container = open.pop(); container !== undefined; container = open.pop()) {
    for (const name in container) {
      // A number where a name has to be.
      if (name.startsWith(MARK)) throw new SyntaxError(`Unexpected number ${name.slice(MARK.length)}`);
      const member = container[name];
      if (typeof member === 'string') {
        if (member.startsWith(MARK)) container[name] = BigInt(member.slice(MARK.length));
      } else if (isContainer(member)) {
        open.push(member);
      }
    }
  }
  return root['value'];
}

/** The number itself: `JSON.stringify` throws for a `bigint` that has no such method. */
Object.defineProperty(BigInt.prototype, 'toJSON', {
  configurable: true,
  writable: true,
  value(this: bigint): unknown {
    return rawJson(String(this));
  },
});

/** What `JSON.stringify` writes as this text. Node 20 has no `JSON.rawJSON`: there a marked text is replaced. */
const rawJson = rawJsonOf(JSON);

function rawJsonOf(json: JSON & { rawJSON?: (text: string) => unknown }): (digits: string) => unknown {
  if (json.rawJSON !== undefined) return json.rawJSON;
  const { stringify } = json;
  const marked = new RegExp(`"${MARK}(-?\\d+)"`, 'g');
  let isUsed = false;
  Object.defineProperty(json, 'stringify', {
    configurable: true,
    writable: true,
    // A list of the arguments would take longer, and a request writes several texts.
    value(value: unknown, replacer?: (string | number)[] | null, space?: string | number): unknown {
      const text: unknown = stringify(value, replacer, space);
      return isUsed && typeof text === 'string' && text.includes(MARK) ? text.replace(marked, '$1') : text;
    },
  });
  return (digits) => {
    isUsed = true;
    return MARK + digits;
  };
}
