/** ajv, configured for the schemas of kinds. */
import type * as AjvPackage from 'ajv';
import type { Ajv, ErrorObject, ValidateFunction } from 'ajv';
import { lazyModule } from '../lazymodule.js';
import { isBase64 } from './base64.js';
import { isInt32, isInt64, isMicroTime, isTime, isUint8 } from './formats.js';
import type { JsonSchema } from './jsonschema.js';
import { isObject, membersOf } from '../encoding/members.js';

export type { ErrorObject };

const SETTINGS = {
  strict: false,
  validateSchema: false,
  meta: false,
  verbose: true,
  addUsedSchema: false,
} as const;

/** The keyword for lists with distinct entries; `compile.ts` adds it to schemas, with the keys of a map list. */
export const DISTINCT = 'x-distinct';

/** The keyword for the most bytes of a free-form object's JSON. */
export const MAX_BYTES = 'x-max-bytes';

/** The package is loaded when the first schema is compiled, on the first write. */
const load = lazyModule<typeof AjvPackage>('ajv');

function instance(allErrors: boolean): Ajv {
  const { Ajv } = load();
  const ajv = new Ajv({ ...SETTINGS, allErrors });
  ajv.addFormat('date-time', isTime);
  ajv.addFormat('micro-time', isMicroTime);
  ajv.addFormat('byte', isBase64);
  ajv.addFormat('uint8', { type: 'number', validate: isUint8 });
  ajv.addFormat('int32', { type: 'number', validate: isInt32 });
  ajv.addFormat('int64', { type: 'number', validate: isInt64 });
  ajv.addKeyword({ keyword: MAX_BYTES, type: 'object', errors: true, compile: maxBytes });
  ajv.addKeyword({ keyword: DISTINCT, type: 'array', errors: true, compile: distinct });
  return ajv;
}

interface BoundedObject {
  (object: object): boolean;
  errors?: Partial<ErrorObject>[];
}

function maxBytes(limit: number): BoundedObject {
  const check: BoundedObject = (object) => {
    const fits = Buffer.byteLength(JSON.stringify(object)) <= limit;
    check.errors = fits ? [] : [{ keyword: MAX_BYTES, params: { limit }, message: 'too many bytes' }];
    return fits;
  };
  return check;
}

interface Distinct {
  (list: unknown[]): boolean;
  errors?: Partial<ErrorObject>[];
}

/** Compares members with the names `keys`; if empty, the entries themselves. */
function distinct(keys: readonly string[]): Distinct {
  const check: Distinct = (list) => {
    const seen = new Set<string>();
    check.errors = [];
    list.forEach((entry, index) => {
      if (keys.length > 0 && !isObject(entry)) return;
      const identity =
        keys.length === 0 ? entry : Object.fromEntries(keys.map((key) => [key, membersOf(entry)[key]]));
      const text = JSON.stringify(identity);
      if (seen.has(text))
        check.errors?.push({ keyword: DISTINCT, params: { index, identity }, message: 'duplicate' });
      seen.add(text);
    });
    return check.errors.length === 0;
  };
  return check;
}

let first: Ajv | undefined;
let all: Ajv | undefined;

/** Checks values, and has the errors of the last one. */
export interface Validate {
  (value: unknown): boolean;
  errors?: readonly ErrorObject[] | null | undefined;
}

/** Stops at the first error. */
export const compileFirst = (schema: JsonSchema): Validate =>
  withLongIntegers((first ??= instance(false)).compile(schema));
/** Finds every error. */
export const compileAll = (schema: JsonSchema): Validate =>
  withLongIntegers((all ??= instance(true)).compile(schema));

/** The library takes a `bigint` for no number: in its place it sees one of the largest safe integers. */
function withLongIntegers(check: ValidateFunction): Validate {
  const validate: Validate = (value) => {
    let fits = check(value);
    const seen = fits ? value : withoutLongIntegers(value, new Map());
    if (seen !== value) fits = check(seen);
    validate.errors =
      seen === value
        ? check.errors
        : check.errors?.map((error) => ({
            ...error,
            data: valueAt(value, pointerSteps(error.instancePath)),
          }));
    return fits;
  };
  return validate;
}

/** The same value if it has none. Different integers stay different. */
function withoutLongIntegers(value: unknown, known: Map<bigint, number>): unknown {
  if (typeof value === 'bigint') {
    const shown = known.get(value) ?? Number.MAX_SAFE_INTEGER - known.size;
    known.set(value, shown);
    return value < 0n ? -shown : shown;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => withoutLongIntegers(item, known));
    return items.some((item, at) => item !== value[at]) ? items : value;
  }
  const entries = Object.entries(value);
  const next = entries.map(([name, member]) => [name, withoutLongIntegers(member, known)] as const);
  return next.some(([, member], at) => member !== entries[at]?.[1]) ? Object.fromEntries(next) : value;
}

const valueAt = (value: unknown, steps: readonly string[]): unknown =>
  steps.reduce((at: unknown, step) => (Array.isArray(at) ? at[Number(step)] : membersOf(at)[step]), value);

/** The steps of a JSON pointer. */
export function pointerSteps(pointer: string): string[] {
  if (pointer === '') return [];
  return pointer
    .slice(1)
    .split('/')
    .map((step) => step.replace(/~1/g, '/').replace(/~0/g, '~'));
}
