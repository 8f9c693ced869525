/**
 * Continue tokens of paged lists (`k8s.io/apiserver/pkg/storage/continue.go`): unpadded base64url of
 * `{"v":"meta.k8s.io/v1","rv":<revision>,"start":"<first key>"}`.
 */
import { badRequest } from './errors.js';
import { clampToSafe } from './strconv.js';
import { parseJson } from './encoding/depth.js';
import { explainSyntaxError } from './encoding/jsonerror.js';

const VERSION = 'meta.k8s.io/v1';

export interface ContinueToken {
  /** The revision of all pages; negative: the newest one. */
  readonly revision: number;
  /**
   * The first key of the page, inclusive and relative to the collection: `namespace/name` or, for cluster-scoped
   * kinds, `name`. The key right after an object is its path and a NUL: `ns/name\u0000`.
   */
  readonly start: string;
}

/** Encodes a token for {@link decodeContinue}. */
export function encodeContinue({ revision, start }: ContinueToken): string {
  const json = JSON.stringify({ v: VERSION, rv: revision, start });
  const escaped = json.replace(
    /[<>&\u2028\u2029]/g,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return Buffer.from(escaped, 'utf8').toString('base64url');
}

/** Throws 400 `invalid continue token: …`. A revision past 2^53 becomes the largest safe integer. */
export function decodeContinue(token: string): ContinueToken {
  const { v, rv, start } = readMembers(decodeBase64(token));
  if (v !== VERSION) throw refuse(`server does not recognize this encoded version ${v}`);
  if (rv === 0n) throw refuse(`incorrect encoded start resourceVersion (version ${VERSION})`);
  if (start === '') throw refuse(`encoded start key empty (version ${VERSION})`);
  const relative = start.startsWith('/') ? start.slice(1) : start;
  if (relative !== '' && relative.split('/').some((step) => step === '' || step === '.' || step === '..')) {
    throw refuse(start);
  }
  return { revision: clampToSafe(rv), start: relative };
}

const refuse = (why: string): Error =>
  badRequest(`invalid continue token: continue key is not valid: ${why}`);

function decodeBase64(token: string): Buffer {
  const text = token.replace(/[\r\n]/g, '');
  const bad = /[^A-Za-z0-9_-]/.exec(token.replace(/[\r\n]/g, 'A'));
  if (bad !== null) throw refuse(`illegal base64 data at input byte ${bad.index}`);
  if (text.length % 4 === 1) throw refuse(`illegal base64 data at input byte ${text.length - 1}`);
  return Buffer.from(text, 'base64url');
}

interface Members {
  v: string;
  rv: bigint;
  start: string;
}

/** Reads members in any letter case; null and absent ones keep the zero value, others are ignored. */
function readMembers(json: Buffer): Members {
  const members: Members = { v: '', rv: 0n, start: '' };
  const parsed = valueIn(json);
  if (parsed === null) return members;
  if (typeof parsed !== 'object' || Array.isArray(parsed))
    throw refuse('json: cannot unmarshal value into a token');
  for (const [name, value] of Object.entries(parsed)) {
    if (value === null) continue;
    const member = name.toLowerCase();
    if (member === 'v' || member === 'start') {
      if (typeof value !== 'string')
        throw refuse(`json: cannot unmarshal value into field ${member} of type string`);
      members[member] = value;
    } else if (member === 'rv') {
      members.rv = readRevision(value);
    }
  }
  return members;
}

function valueIn(json: Buffer): unknown {
  try {
    return parseJson(json.toString('utf8'));
  } catch {
    throw refuse(explainSyntaxError(json));
  }
}

function readRevision(value: unknown): bigint {
  if (typeof value === 'bigint') return value;
  if (Number.isSafeInteger(value)) return BigInt(Number(value));
  throw refuse('json: cannot unmarshal value into field rv of type int64');
}
