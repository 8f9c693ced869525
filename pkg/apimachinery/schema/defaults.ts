/** Applies the defaults of a schema to objects. */
import { isObject, type JsonSchema } from './jsonschema.js';

/** Modifies `value`; values of the wrong type are unchanged. */
export type Defaulter = (value: unknown) => void;

/** Undefined if the schema has no defaults. */
export function defaulter(schema: JsonSchema): Defaulter | undefined {
  if (schema.properties !== undefined) return structDefaulter(schema.properties);
  const inner = schema.items ?? schema.additionalProperties;
  const apply = typeof inner === 'object' ? defaulter(inner) : undefined;
  if (apply === undefined) return undefined;
  return (value) => {
    if (Array.isArray(value)) value.forEach(apply);
    else if (isObject(value)) Object.values(value).forEach(apply);
  };
}

interface Step {
  readonly name: string;
  /** A new value each time, or undefined for a field without a default. */
  readonly create: (() => unknown) | undefined;
  readonly apply: Defaulter | undefined;
}

function structDefaulter(properties: Readonly<Record<string, JsonSchema>>): Defaulter | undefined {
  const steps: Step[] = [];
  for (const [name, property] of Object.entries(properties)) {
    const apply = defaulter(property);
    const create = property.default === undefined ? undefined : copier(property.default);
    if (apply !== undefined || create !== undefined) steps.push({ name, create, apply });
  }
  if (steps.length === 0) return undefined;
  return (value) => {
    if (!isObject(value)) return;
    for (const { name, create, apply } of steps) {
      if (create !== undefined && (value[name] === undefined || value[name] === null)) value[name] = create();
      if (apply !== undefined && value[name] !== undefined) apply(value[name]);
    }
  };
}

function copier(value: unknown): () => unknown {
  if (typeof value !== 'object' || value === null) return () => value;
  if (isObject(value) && Object.keys(value).length === 0) return () => ({});
  return () => structuredClone(value);
}
