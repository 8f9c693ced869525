/** ajv's findings as field errors, in the words that custom resources give them. */
import { Ajv } from 'ajv';
import type { ErrorObject } from 'ajv';
import type { KubeObject } from '../../../api/resource.js';
import type { FieldError } from '../errors.js';
import { fieldInvalid, fieldNotSupported, fieldRequired, fieldTypeInvalid } from '../errors.js';
import type { SchemaNode } from './node.js';

/** Compiles the schema once; the result finds everything that does not fit. */
export function checker(schema: SchemaNode): (object: KubeObject) => FieldError[] {
  const ajv = new Ajv({ allErrors: true, strict: false, validateFormats: false, verbose: true });
  const validate = ajv.compile(schema);
  return (object) => (validate(object) ? [] : (validate.errors ?? []).map(fieldErrorOf));
}

function fieldErrorOf(error: ErrorObject): FieldError {
  const path = fieldPath(error.instancePath);
  const params = error.params as Record<string, unknown>;
  switch (error.keyword) {
    case 'type': {
      const found = typeOf(error.data);
      return fieldTypeInvalid(
        path,
        found,
        `${path} in body must be of type ${String(params.type)}: "${found}"`,
      );
    }
    case 'required':
      return fieldRequired(
        path === '' ? String(params.missingProperty) : `${path}.${String(params.missingProperty)}`,
      );
    case 'enum':
      return fieldNotSupported(path, error.data, (params.allowedValues as unknown[]).map(String));
    default:
      return fieldInvalid(
        path,
        typeOf(error.data),
        `${path} in body ${error.message ?? 'does not fit the schema'}`,
      );
  }
}

/** `/spec/access/0/name` as `spec.access[0].name`. */
function fieldPath(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce(
      (path, step) => (/^\d+$/.test(step) ? `${path}[${step}]` : path === '' ? step : `${path}.${step}`),
      '',
    );
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}
