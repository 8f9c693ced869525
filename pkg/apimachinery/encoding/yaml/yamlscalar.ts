import { DecodeError } from '../json.js';
import { int64, isInteger, isNumber } from '../../../../api/exactjson.js';

/** The value of a YAML 1.1 scalar. Numbers may be infinite or NaN. */
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
  if (INTEGER.test(digits)) return integer(digits);
  if (!FLOAT.test(digits)) return source;
  const number = Number(digits);
  return Number.isFinite(number) ? number : source;
}

function integer(text: string): number | bigint {
  const negative = text.startsWith('-');
  const digits = text.replace(/^[-+]/, '');
  const octal = /^0[0-7]+$/.test(digits) ? `0o${digits.slice(1)}` : digits;
  const number = negative ? -Number(octal) : Number(octal);
  if (Number.isSafeInteger(number) || Math.abs(number) > 2 ** 63) return number;
  return int64(negative ? -BigInt(octal) : BigInt(octal)) ?? number;
}

/**
 * Resolves a scalar with a tag. YAML's own tags convert it; any other tag keeps the text. Throws {@link DecodeError}
 * if text and tag do not match.
 */
export function resolveTagged(tag: string, text: string): YamlScalar {
  if (!tag.startsWith(TAG)) return text;
  const type = tag.slice(TAG.length);
  if (type === 'binary') return decodeBinary(text);
  if (type !== 'int' && type !== 'float' && type !== 'bool' && type !== 'null') return text;
  const value = resolvePlain(text);
  const found =
    value === null ? 'null' : isNumber(value) ? 'number' : typeof value === 'boolean' ? 'bool' : 'str';
  const fits = type === 'int' ? isInteger(value) : type === 'float' ? found === 'number' : found === type;
  if (!fits) throw new DecodeError(`yaml: cannot decode !!${found} \`${text.slice(0, 10)}\` as a !!${type}`);
  return value;
}

function decodeBinary(text: string): string {
  const compact = text.replace(/\s+/g, '');
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(compact) || compact.length % 4 !== 0) {
    throw new DecodeError('yaml: !!binary value contains invalid base64 data');
  }
  return Buffer.from(compact, 'base64').toString('utf8');
}
