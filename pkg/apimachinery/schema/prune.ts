/**
 * Converts a decoded object to the form of Go structs: unknown members are removed, null becomes absent, and (for
 * metadata and for Kubernetes' own kinds) optional empty values are removed.
 */
import { isObject, type JsonSchema } from './jsonschema.js';

/** Modifies `value`; adds the paths of removed members, relative to `value`, to `unknown`. */
export type Pruner = (value: unknown, unknown: string[]) => void;

export interface PruneRules {
  /** Whether optional strings, maps and lists are removed if empty (Go's `omitempty`). */
  readonly dropEmpty: boolean;
  /** Whether `x-keep-empty` exempts a field from that. */
  readonly keepMarked: boolean;
}

interface Field {
  readonly prune: Pruner | undefined;
  readonly droppable: boolean;
}

/** Undefined if no value needs pruning. Values of the wrong type are unchanged. */
export function pruner(schema: JsonSchema, rules: PruneRules): Pruner | undefined {
  if (schema['x-kubernetes-preserve-unknown-fields'] === true) return undefined;
  if (schema.properties !== undefined) return structPruner(schema, rules);
  if (typeof schema.additionalProperties === 'object') return mapPruner(schema.additionalProperties, rules);
  if (schema.items !== undefined) return listPruner(schema.items, rules);
  return undefined;
}

/** `special`: pruners of fields with other rules. */
export function structPruner(
  schema: JsonSchema,
  rules: PruneRules,
  special: Readonly<Record<string, Pruner | undefined>> = {},
): Pruner {
  const required = new Set(schema.required);
  const fields = new Map<string, Field>();
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const kept = rules.keepMarked && property['x-keep-empty'] === true;
    const droppable = rules.dropEmpty && !required.has(name) && !kept && property.properties === undefined;
    fields.set(name, { prune: special[name] ?? pruner(property, rules), droppable });
  }
  return (value, unknown) => {
    if (!isObject(value)) return;
    for (const name of Object.keys(value)) {
      const field = fields.get(name);
      if (field === undefined) {
        delete value[name];
        unknown.push(name);
        continue;
      }
      const member = value[name];
      if (member === null || (field.droppable && isEmpty(member))) {
        delete value[name];
      } else if (field.prune !== undefined) {
        const before = unknown.length;
        field.prune(member, unknown);
        if (unknown.length > before) prefix(unknown, before, name);
      }
    }
  };
}

function mapPruner(schema: JsonSchema, rules: PruneRules): Pruner {
  const prune = pruner(schema, rules);
  return (value, unknown) => {
    if (!isObject(value)) return;
    for (const key of Object.keys(value)) {
      if (value[key] === null) value[key] = zero(schema);
      if (prune === undefined) continue;
      const before = unknown.length;
      prune(value[key], unknown);
      if (unknown.length > before) prefix(unknown, before, key);
    }
  };
}

function listPruner(schema: JsonSchema, rules: PruneRules): Pruner {
  const prune = pruner(schema, rules);
  return (value, unknown) => {
    if (!Array.isArray(value)) return;
    for (let index = 0; index < value.length; index++) {
      if (value[index] === null) value[index] = zero(schema);
      if (prune === undefined) continue;
      const before = unknown.length;
      prune(value[index], unknown);
      if (unknown.length > before) prefix(unknown, before, `[${index}]`);
    }
  };
}

/** Paths are built on return, so that an object without findings builds none. */
function prefix(paths: string[], from: number, step: string): void {
  for (let index = from; index < paths.length; index++) {
    const path = paths[index]!;
    paths[index] = path.startsWith('[') ? step + path : `${step}.${path}`;
  }
}

function isEmpty(value: unknown): boolean {
  if (value === '') return true;
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.length === 0;
  for (const name in value) if (Object.hasOwn(value, name)) return false;
  return true;
}

/** The value of null inside lists and maps. */
function zero(schema: JsonSchema): unknown {
  switch (schema.type) {
    case 'string':
      return '';
    case 'integer':
    case 'number':
      return 0;
    case 'boolean':
      return false;
    case 'object':
      return {};
    case 'array':
      return [];
    default:
      return null;
  }
}
