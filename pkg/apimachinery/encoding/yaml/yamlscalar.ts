import { DecodeError } from '../json.js';
import { int64 } from '../../../../api/exactjson.js';

/** The value of a YAML 1.1 scalar. Numbers may be infinite or NaN; integers beyond 2^53 are a bigint, up to 2^64. */
export type YamlScalar = null | boolean | number | bigint | string;

const WORDS = new Map<string, YamlScalar>([
  ...['', '~', 'null', 'Null', 'NULL'].map((word) => [word, null] as const),
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'].map(
    (word) => [word, true] as const,
  ),
  ...['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'].map(
    (word) => [word, false] as const,
  ),
  ...['.nan', '.NaN', '.NAN'].map((word) => [word, NaN] as const),
  ...['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF'].map((word) => [word, Infinity] as const),
  ...['-.inf', '-.Inf', '-.INF'].map((word) => [word, -Infinity] as const),
]);
const INTEGER = /^[-+]?(?:0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+|0[0-7]*|[1-9][0-9]*)$/;
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const TAG = 'tag:yaml.org,2002:';

/** A plain scalar without a tag, as `sigs.k8s.io/yaml` resolves it: `yes` is true, `010` is 8, dates are strings. */
export function resolvePlain(source: string): YamlScalar {
  const word = WORDS.get(source);
  if (word !== undefined) return word;
  if (!/^[-+.0-9]/.test(source)) return source;
  const digits = source.startsWith('.') ? source : source.replaceAll('_', '');
  const integer = INTEGER.test(digits) ? integerOf(digits) : undefined;
  if (integer !== undefined) return integer;
  if (!FLOAT.test(digits)) return source;
  const number = Number(digits);
  return Number.isFinite(number) ? number : source;
}

/** Undefined if it fits neither int64 nor, without a sign, uint64. */
function integerOf(text: string): number | bigint | undefined {
  const digits = text.replace(/^[-+]/, '');
  const octal = /^0[0-7]+$/.test(digits) ? `0o${digits.slice(1)}` : digits;
  const number = text.startsWith('-') ? -Number(octal) : Number(octal);
  if (Number.isSafeInteger(number)) return number;
  if (Math.abs(number) > 2 ** 64) return undefined;
  const exact = text.startsWith('-') ? -BigInt(octal) : BigInt(octal);
  return int64(exact) ?? (text === digits && exact < 2n ** 64n ? exact : undefined);
}

/**
 * Resolves a scalar with a tag. YAML's own tags convert it; any other tag keeps the text. Throws {@link DecodeError}
 * if text and tag do not match.
 */
export function resolveTagged(tag: string, text: string): YamlScalar {
  if (!tag.startsWith(TAG)) return text;
  const type = tag.slice(TAG.length);
  if (type === 'binary') return decodeBinary(text);
  if (type === 'timestamp' && !isTimestamp(text)) {
    throw new DecodeError(`yaml: cannot decode !!str \`${text.slice(0, 10)}\` as a !!timestamp`);
  }
  if (type !== 'int' && type !== 'float' && type !== 'bool' && type !== 'null') return text;
  const value = resolvePlain(text);
  const found = typeOf(value, text);
  const isInt64 = typeof value === 'bigint' ? int64(value) !== undefined : found === 'int';
  if (found !== type && !(type === 'float' && isInt64)) {
    throw new DecodeError(`yaml: cannot decode !!${found} \`${text.slice(0, 10)}\` as a !!${type}`);
  }
  return value;
}

function typeOf(value: YamlScalar, text: string): 'null' | 'bool' | 'str' | 'int' | 'float' {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'str';
  if (typeof value === 'bigint') return 'int';
  return Number.isSafeInteger(value) && INTEGER.test(text.replaceAll('_', '')) ? 'int' : 'float';
}

const TIME = '(?:[01]?[0-9]|2[0-3]):[0-5]?[0-9]:[0-5]?[0-9](?:[.,][0-9]+)?';
const TIMESTAMP = new RegExp(
  `^([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})(?:[Tt]${TIME}(?:Z|[-+][0-9]{2}:[0-9]{2})| ${TIME})?$`,
);

function isTimestamp(text: string): boolean {
  const [year = NaN, month = NaN, day = NaN] = (TIMESTAMP.exec(text) ?? []).slice(1).map(Number);
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

function decodeBinary(text: string): string {
  const compact = text.replace(/[\r\n]/g, '');
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(compact) || compact.length % 4 !== 0) {
    throw new DecodeError('yaml: !!binary value contains invalid base64 data');
  }
  return Buffer.from(compact, 'base64').toString('utf8');
}

/**
 * The member of JSON for a key with that text. Floats have the digits of a float32, as `sigs.k8s.io/yaml` writes them.
 * Throws {@link DecodeError} for null and for integers beyond int64.
 */
export function keyText(key: YamlScalar, text: string): string {
  if (key === null) throw new DecodeError('unsupported map key of type: null');
  if (typeof key === 'bigint' && int64(key) === undefined) {
    throw new DecodeError('unsupported map key of type: uint64');
  }
  return typeof key === 'number' && typeOf(key, text) === 'float' ? floatText(Math.fround(key)) : String(key);
}

/** The digits that Go's `strconv.FormatFloat(number, 'g', -1, 32)` writes. */
function floatText(number: number): string {
  if (Number.isNaN(number)) return '.nan';
  if (!Number.isFinite(number)) return number > 0 ? '.inf' : '-.inf';
  let digits = 0;
  while (Math.fround(Number(number.toExponential(digits))) !== number) digits++;
  const shortest = number.toExponential(digits);
  const [mantissa, exponent = ''] = shortest.split('e');
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(Number(shortest));
  return `${mantissa}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}
