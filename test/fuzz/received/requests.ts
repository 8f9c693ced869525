/** Generated requests: most are right, some have what a request must not have. */
import type { Chance } from './chance.js';
import type { Field } from './hpack.js';

export interface Generated {
  readonly method: string;
  /** Each character is a byte, here and in the fields. */
  readonly target: string;
  readonly fields: readonly Field[];
  readonly body: Buffer;
  /** Whether it must be served. */
  readonly sound: boolean;
}

const bytes = (from: number, to: number): string =>
  String.fromCharCode(...Array.from({ length: to - from + 1 }, (_each, at) => from + at));
const ALNUM = 'abcdefghijklmnopqrstuvwxyz0123456789';
const NAME = `${ALNUM}!#$%&'*+-.^_\`|~`;
const VALUE = bytes(0x21, 0x7e) + bytes(0x80, 0xff);
const INNER = `${VALUE}  \t`;
const ANY = bytes(0, 0xff);
const PATH = `${ALNUM}-._~!$&'()*+,;=:@/`;
/** Names that mean something here; several of one kind are drawn. */
const KNOWN = [
  'impersonate-user',
  'impersonate-group',
  'impersonate-uid',
  'impersonate-extra-scopes',
  'x-remote-user',
  'x-remote-group',
  'x-remote-extra-a',
  'authorization',
  'content-type',
  'if-match',
  'if-none-match',
  'accept',
  'accept-encoding',
  'cookie',
  'user-agent',
  'range',
  'referer',
  'audit-id',
  'x-forwarded-for',
];
/** With one value, or joined by Node. */
const ONCE = /^(authorization|content-type|user-agent|range|referer|audit-id|impersonate-u(ser|id))$/;

function value(chance: Chance): string {
  const middle = chance.text(INNER, chance.once(60) ? 2000 : 16);
  return (
    chance.text(VALUE, 1) +
    (middle === '' ? '' : `${VALUE[chance.below(VALUE.length)]}${middle}${VALUE[chance.below(VALUE.length)]}`)
  );
}

const isSoundValue = (text: string): boolean => !/^[ \t]|[ \t]$|[\x00-\x08\x0a-\x1f\x7f]/.test(text);
const isSoundName = (text: string): boolean => /^[-a-z0-9!#$%&'*+.^_`|~]+$/.test(text);

function field(chance: Chance): Field {
  const name = chance.once(2) ? chance.of(KNOWN) : `x-${chance.text(NAME, 12)}`;
  const spoilt = chance.below(25);
  if (spoilt === 0) return [name, chance.of([' ', '\t', '']) + value(chance) + chance.of([' ', '\t', ''])];
  if (spoilt === 1) return [name, value(chance) + String.fromCharCode(chance.below(256)) + value(chance)];
  if (spoilt === 2) return [chance.text(ANY, 6), value(chance)];
  if (spoilt === 3 && chance.once(20)) return [name, 'v'.repeat(60_000 + chance.below(20_000))];
  return [name, value(chance)];
}

function target(chance: Chance): string {
  const path = `/${chance.text(PATH, 40)}`;
  const query = chance.once(2) ? `?${chance.text(`${PATH}?%`, 20)}` : '';
  const spoilt = chance.below(30);
  if (spoilt === 0) return `${path}%${chance.text(NAME, 2)}${query}`;
  if (spoilt === 1) return `${path}${String.fromCharCode(chance.below(256))}${query}`;
  if (spoilt === 2) return Buffer.from(`${path}ö${chance.text(PATH, 3)}`).toString('latin1') + query;
  if (spoilt === 3) return chance.text(ANY, 10);
  if (spoilt === 4) return `${path}%C3%B6${query}`;
  return path + query;
}

const listBytes = (fields: readonly Field[]): number =>
  fields.reduce((sum, [name, text]) => sum + name.length + text.length + 32, 500);

/** Over HTTP/2 long ones among them are refused. */
export function generate(chance: Chance): Generated {
  const fields = Array.from({ length: chance.once(500) ? 2200 : chance.below(8) }, () => field(chance));
  const method = chance.of(['GET', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
  const body =
    method === 'GET' || chance.once(2) ? Buffer.alloc(0) : Buffer.from(chance.text(ANY, 100), 'latin1');
  const made = { method, target: target(chance), fields, body };
  const names = fields.map(([name]) => name).filter((name) => ONCE.test(name));
  const sound =
    fields.every(([name, text]) => isSoundName(name) && isSoundValue(text)) &&
    new Set(names).size === names.length &&
    listBytes(fields) + made.target.length < 60_000 &&
    fields.length < 1900 &&
    /^\/[-a-z0-9._~!$&'()*+,;=:@/]*(\?[-a-z0-9._~!$&'()*+,;=:@/?]*)?$/.test(made.target);
  return { ...made, sound };
}

/** What the server must say that it has understood, if it has served the request. */
export interface Understood {
  readonly method: string;
  readonly target: string;
  readonly fields: readonly Field[];
  readonly body: string;
}

/** Bytes of a target that are no characters of one are escaped. */
const escaped = (text: string): string =>
  text.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`);

/** The field that ends the head over HTTP/1.1: an empty line, after which another request begins; -1: none does. */
export const endOfHead = ({ fields }: Generated): number =>
  fields.findIndex(([name]) => name.startsWith('\r\n'));

/**
 * `http1`: it has blanks around values, and maybe around the target, that are none of theirs (RFC 9112, 3 and 5), and its head may
 * end early.
 */
export function meantBy(request: Generated, http1: boolean): Understood {
  const { method, target: sent, fields, body } = request;
  const end = http1 ? endOfHead(request) : -1;
  return {
    method,
    target: escaped(http1 ? sent.replace(/^ +| +$/g, '') : sent),
    fields: fields
      .slice(0, end < 0 ? fields.length : end)
      .map(([name, text]) => [name, http1 ? text.replace(/^[ \t]+|[ \t]+$/g, '') : text]),
    body: end < 0 ? body.toString('base64') : '',
  };
}
