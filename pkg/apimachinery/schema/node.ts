/** The parts of JSON Schema that kinds use. */
export interface SchemaNode {
  readonly type?: string;
  readonly description?: string;
  readonly format?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  /** Of a map with free keys: the schema of its values (TypeBox writes `patternProperties`). */
  readonly additionalProperties?: SchemaNode | boolean;
  readonly patternProperties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
}

/** The schema of a map's values; undefined where the node is no map. */
export function valuesOf(node: SchemaNode): SchemaNode | undefined {
  if (node.properties !== undefined) return undefined;
  const pattern = node.patternProperties === undefined ? undefined : Object.values(node.patternProperties)[0];
  if (pattern !== undefined) return pattern;
  return typeof node.additionalProperties === 'object' ? node.additionalProperties : undefined;
}

export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
