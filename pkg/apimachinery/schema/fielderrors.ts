/** Converts ajv's errors to field errors of custom resources (`k8s.io/kube-openapi/pkg/validation`). */
import { listOf, membersOf } from '../encoding/members.js';
import type { FieldError } from '../errors.js';
import * as errors from '../errors.js';
import { DISTINCT, MAX_BYTES, pointerSteps, type ErrorObject } from './validator.js';

/** Undefined for errors that repeat others. */
export function fieldError(error: ErrorObject): FieldError | undefined {
  const path = fieldPath(pointerSteps(error.instancePath), error.schemaPath);
  const value: unknown = error.data;
  const limit = Number(error.params['limit']);
  const invalid = (rule: string): FieldError => errors.fieldInvalid(path, value, `${path} in body ${rule}`);
  switch (error.keyword) {
    case 'type': {
      const found = typeName(value);
      const text = `${path} in body must be of type ${String(error.params['type'])}: ${errors.quote(found)}`;
      return errors.fieldTypeInvalid(path, found, text);
    }
    case 'format': {
      const text = `${path} in body must be of type ${String(error.params['format'])}: ${errors.printValue(value)}`;
      return errors.fieldTypeInvalid(path, value, text);
    }
    case 'required':
      return errors.fieldRequired(join(path, String(error.params['missingProperty'])));
    case 'enum':
      return errors.fieldNotSupported(path, value, listOf(error.params['allowedValues']).map(String));
    case 'const':
      return errors.fieldNotSupported(path, value, [String(error.params['allowedValue'])]);
    case 'maxLength':
      return errors.fieldTooLong(path, limit);
    case MAX_BYTES:
      return errors.fieldTooLong(path, limit);
    case 'minLength':
      return invalid(`should be at least ${limit} chars long`);
    case 'maxItems':
      return errors.fieldTooMany(path, listOf(value).length, limit);
    case 'minItems':
      return invalid(`should have at least ${limit} items`);
    case 'maxProperties':
      return errors.fieldTooMany(path, Object.keys(membersOf(value)).length, limit);
    case 'minProperties':
      return invalid(`should have at least ${limit} properties`);
    case 'uniqueItems':
      return invalid(`shouldn't contain duplicates`);
    case 'minimum':
      return invalid(`should be greater than or equal to ${limit}`);
    case 'maximum':
      return invalid(`should be less than or equal to ${limit}`);
    case 'exclusiveMinimum':
      return invalid(`should be greater than ${limit}`);
    case 'exclusiveMaximum':
      return invalid(`should be less than ${limit}`);
    case 'multipleOf':
      return invalid(`should be a multiple of ${String(error.params['multipleOf'])}`);
    case 'pattern':
      return invalid(`should match '${String(error.params['pattern'])}'`);
    case DISTINCT:
      return errors.fieldDuplicate(`${path}[${String(error.params['index'])}]`, error.params['identity']);
    case 'if':
      return undefined;
    default:
      return invalid(error.message ?? 'is not valid');
  }
}

const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

/** `spec.access[0].verbs`, `spec.data[key]` (`k8s.io/apimachinery/pkg/util/validation/field.Path`). */
function fieldPath(steps: readonly string[], schemaPath: string): string {
  const descents = descentsIn(schemaPath);
  return steps.reduce(
    (path, step, at) => (descents[at] === 'properties' ? join(path, step) : `${path}[${step}]`),
    '',
  );
}

const NAMED = ['properties', 'patternProperties'];
const DESCENTS = [...NAMED, 'additionalProperties', 'items'];

/** The keywords from the root to a rule, one for each level of the value. */
function descentsIn(schemaPath: string): string[] {
  const descents: string[] = [];
  let isName = false;
  for (const part of schemaPath.split('/').slice(1)) {
    if (!isName && DESCENTS.includes(part)) descents.push(part);
    isName = !isName && NAMED.includes(part);
  }
  return descents;
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'bigint') return 'integer';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}
