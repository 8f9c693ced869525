/** Type checks while decoding, as Go's JSON decoder makes them for typed kinds. */
import { goType } from '../encoding/body.js';
import type { JsonValue } from '../../../api/resource.js';
import type { SchemaNode } from './node.js';
import { isObject, valuesOf } from './node.js';

/** What does not fit: `json: cannot unmarshal number into Go struct field ConfigMap.data of type string`. */
export type TypeFinder = (value: unknown, path: string) => string | undefined;

/** Finds the first value of a wrong type. null fits everything: it means absent. */
export function typeFinder(kind: string, node: SchemaNode): TypeFinder {
  if (node.type === undefined) return () => undefined;
  const goName = goNameOf(node);
  const below = belowFinder(kind, node);
  const fits = fitsOf(node);
  return (value, path) => {
    if (value === null || value === undefined) return undefined;
    if (fits(value)) return below?.(value, path);
    return `json: cannot unmarshal ${goType(value as JsonValue)} into Go struct field ${kind}${path} of type ${goName}`;
  };
}

function fitsOf(node: SchemaNode): (value: unknown) => boolean {
  switch (node.type) {
    case 'integer':
      return (value) => Number.isInteger(value);
    case 'array':
      return Array.isArray;
    case 'object':
      return isObject;
    default:
      return (value) => typeof value === node.type;
  }
}

function goNameOf(node: SchemaNode): string {
  if (node.type === 'integer') return 'int64';
  if (node.type === 'boolean') return 'bool';
  if (node.type === 'array') return `[]${goNameOf(node.items ?? { type: 'object' })}`;
  const values = valuesOf(node);
  if (values !== undefined) return `map[string]${goNameOf(values)}`;
  return node.type === 'object' ? 'struct' : (node.type ?? 'interface {}');
}

function belowFinder(kind: string, node: SchemaNode): TypeFinder | undefined {
  const item = node.items ?? valuesOf(node);
  if (item !== undefined) {
    const find = typeFinder(kind, item);
    return (value, path) => first(Object.values(value as object), (each) => find(each, path));
  }
  const members = Object.entries(node.properties ?? {}).map(
    ([name, child]) => [name, `.${name}`, typeFinder(kind, child)] as const,
  );
  if (members.length === 0) return undefined;
  return (value, path) =>
    first(members, ([name, step, find]) => find((value as Record<string, unknown>)[name], path + step));
}

function first<T>(values: readonly T[], find: (value: T) => string | undefined): string | undefined {
  for (const value of values) {
    const found = find(value);
    if (found !== undefined) return found;
  }
  return undefined;
}
