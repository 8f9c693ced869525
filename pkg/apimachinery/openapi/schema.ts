/**
 * Converts the JSON Schemas of kinds to OpenAPI 2 and 3.0. Both lack `const`, `patternProperties`, type `null` and
 * lists of types; 2 also lacks alternatives and `nullable`, where validation is dropped rather than made stricter (as
 * `k8s.io/apiextensions-apiserver` does for its v2 documents).
 */
import { listOf, membersOf } from '../encoding/members.js';
import { META_SCHEMAS, type JsonSchema } from './metaschemas.js';

export type OpenapiSchema = Record<string, unknown>;

/** The component schemas of one document, added while schemas that refer to them are converted. */
export interface Components {
  readonly dialect: 'v2' | 'v3';
  readonly schemas: Map<string, OpenapiSchema>;
}

const KEPT = [
  'description',
  'default',
  'type',
  'format',
  'enum',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'multipleOf',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'nullable',
] as const;

/**
 * Converts a schema. One with `x-component` becomes a reference to the component of that name. Defaults of null are
 * omitted: they describe how Go prints unset fields, and no value for clients.
 */
export function openapiSchema(schema: JsonSchema, into: Components): OpenapiSchema {
  const component = schema['x-component'];
  return typeof component === 'string' ? componentUse(component, schema, into) : inlineSchema(schema, into);
}

/** A bare reference; `make` creates the component if it does not exist. */
export function reference(name: string, make: () => OpenapiSchema, into: Components): OpenapiSchema {
  if (!into.schemas.has(name)) {
    into.schemas.set(name, {});
    into.schemas.set(name, make());
  }
  return { $ref: `${into.dialect === 'v2' ? '#/definitions/' : '#/components/schemas/'}${name}` };
}

/** A reference to one of Kubernetes' own meta kinds, such as `Status`, by its full component name. */
export function metaReference(name: string, into: Components): OpenapiSchema {
  return reference(name, () => inlineSchema(META_SCHEMAS[name] ?? {}, into), into);
}

/** A reference with a description, wrapped because OpenAPI 3.0 ignores other members beside `$ref`. */
export function describedReference(
  target: OpenapiSchema,
  beside: OpenapiSchema,
  into: Components,
): OpenapiSchema {
  if (Object.keys(beside).length === 0) return target;
  return into.dialect === 'v2' ? { ...beside, ...target } : { ...beside, allOf: [target] };
}

function componentUse(name: string, schema: JsonSchema, into: Components): OpenapiSchema {
  const declared = META_SCHEMAS[name] ?? ownSchema(schema);
  const target = reference(name, () => inlineSchema(declared, into), into);
  const beside: OpenapiSchema = {};
  if (schema.description !== undefined && schema.description !== declared.description) {
    beside.description = schema.description;
  }
  if (schema.default !== undefined && schema.default !== null) beside.default = schema.default;
  return describedReference(target, beside, into);
}

/** The component itself, without the description of a field that uses it. */
function ownSchema(schema: JsonSchema): JsonSchema {
  const own = schema['x-component-description'];
  return own === undefined ? schema : { ...schema, description: own, default: undefined };
}

function inlineSchema(schema: JsonSchema, into: Components): OpenapiSchema {
  const converted: OpenapiSchema = {};
  for (const key of KEPT) if (schema[key] !== undefined) converted[key] = schema[key];
  if (schema.default === null) delete converted.default;
  for (const [key, value] of Object.entries(schema))
    if (key.startsWith('x-kubernetes-')) converted[key] = value;
  setBounds(schema, converted);
  setConstants(schema, converted);
  setType(schema, converted);
  setChildren(schema, converted, into);
  setAlternatives(schema, converted, into);
  return into.dialect === 'v2' ? withoutNull(converted) : converted;
}

/** Exclusive bounds were flags beside `minimum` and `maximum`. */
function setBounds(schema: JsonSchema, converted: OpenapiSchema): void {
  if (typeof schema.exclusiveMinimum === 'number') {
    Object.assign(converted, { minimum: schema.exclusiveMinimum, exclusiveMinimum: true });
  }
  if (typeof schema.exclusiveMaximum === 'number') {
    Object.assign(converted, { maximum: schema.exclusiveMaximum, exclusiveMaximum: true });
  }
}

function setConstants(schema: JsonSchema, converted: OpenapiSchema): void {
  if (schema.const !== undefined) converted.enum = [schema.const];
  if (schema['x-known-values'] !== undefined) converted.enum = schema['x-known-values'];
  const values = converted.enum;
  if (Array.isArray(values) && converted.type === undefined) converted.type = jsonType(values[0]);
}

function jsonType(value: unknown): string {
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return Array.isArray(value) ? 'array' : typeof value;
}

function setType(schema: JsonSchema, converted: OpenapiSchema): void {
  if (!Array.isArray(schema.type)) return;
  const types = listOf(schema.type).filter((type) => type !== 'null');
  if (types.length < schema.type.length) converted.nullable = true;
  if (types.length === 1) converted.type = types[0];
  else delete converted.type;
}

function setChildren(schema: JsonSchema, converted: OpenapiSchema, into: Components): void {
  const child = (value: unknown): OpenapiSchema => openapiSchema(membersOf(value), into);
  const properties = Object.entries(membersOf(schema.properties));
  if (properties.length > 0) {
    converted.properties = Object.fromEntries(properties.map(([name, value]) => [name, child(value)]));
  }
  const required = listOf(schema.required);
  if (required.length > 0) converted.required = [...required];
  if (schema.items !== undefined) converted.items = child(schema.items);
  const values = mapValues(schema);
  if (values === true) converted.additionalProperties = true;
  else if (values !== undefined) converted.additionalProperties = child(values);
}

/** The schema of a map's values. `additionalProperties: false` is omitted: servers prune or refuse by other rules. */
function mapValues(schema: JsonSchema): unknown {
  const patterns = Object.values(membersOf(schema.patternProperties));
  if (patterns.length === 1) return patterns[0];
  if (patterns.length > 1) return { anyOf: patterns };
  return schema.additionalProperties === false ? undefined : schema.additionalProperties;
}

function setAlternatives(schema: JsonSchema, converted: OpenapiSchema, into: Components): void {
  if (schema.allOf !== undefined)
    converted.allOf = listOf(schema.allOf).map((each) => openapiSchema(membersOf(each), into));
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives === undefined) return;
  const declared = listOf(alternatives).map(membersOf);
  const branches = declared.filter(({ type }) => type !== 'null');
  if (branches.length < declared.length) converted.nullable = true;
  const constants = branches.map((branch) => (branch.const === undefined ? branch.enum : [branch.const]));
  const [only] = branches;
  if (branches.length === 1 && only !== undefined) {
    Object.assign(converted, { ...inlineSchema(only, into), ...converted });
  } else if (constants.every(Array.isArray)) {
    converted.enum = constants.flat();
    setConstants({}, converted);
  } else if (into.dialect === 'v3') {
    converted[schema.anyOf === undefined ? 'oneOf' : 'anyOf'] = branches.map((each) =>
      openapiSchema(each, into),
    );
  }
}

/** v2 has no null: a nullable field has no type, as clients would refuse null otherwise. */
function withoutNull(converted: OpenapiSchema): OpenapiSchema {
  if (converted.nullable !== true) return converted;
  const {
    nullable: _nullable,
    type: _type,
    properties: _properties,
    items: _items,
    enum: _enum,
    ...rest
  } = converted;
  return rest;
}
