/** ajv, configured for the schemas of kinds. */
import type * as AjvPackage from 'ajv';
import type { Ajv, ErrorObject, ValidateFunction } from 'ajv';
import { lazyModule } from '../lazymodule.js';
import { isBase64 } from './base64.js';
import { isInt32, isInt64, isMicroTime, isTime, isUint8 } from './formats.js';
import type { JsonSchema } from './jsonschema.js';
import { isObject, membersOf } from '../encoding/members.js';

export type { ErrorObject, ValidateFunction };

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

/** Stops at the first error. */
export const compileFirst = (schema: JsonSchema): ValidateFunction =>
  (first ??= instance(false)).compile(schema);
/** Finds every error. */
export const compileAll = (schema: JsonSchema): ValidateFunction => (all ??= instance(true)).compile(schema);
