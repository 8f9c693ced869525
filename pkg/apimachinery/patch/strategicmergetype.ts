/** The merge rules of a kind's schema for strategic merge patch. */
import type { ResourceDefinition } from '../../../api/resource.js';
import { jsonSchema, OBJECT_META, type JsonSchema } from '../schema/jsonschema.js';

/** The merge rules of a value. Only structs have rules for their members. */
export type PatchType =
  | { readonly shape: 'scalar' | 'map' }
  | { readonly shape: 'list'; readonly items: PatchType }
  | { readonly shape: 'struct'; readonly name: string; readonly fields: ReadonlyMap<string, PatchField> };

/** One member of a struct. */
export interface PatchField {
  readonly type: PatchType;
  /** Absent: maps merge and lists are replaced. */
  readonly strategy?: 'merge' | 'replace';
  /** The member that identifies an item of a merged list of structs; `''` for scalars. */
  readonly mergeKey: string;
}

export type StructType = Extract<PatchType, { shape: 'struct' }>;

const SCALAR: PatchType = { shape: 'scalar' };
const MAP: PatchType = { shape: 'map' };

/**
 * The merge rules of a whole object: `x-kubernetes-patch-strategy` (several joined by commas; `retainKeys` only
 * affects clients that create patches) and `x-kubernetes-patch-merge-key` of the kind's schema. Compile once for each
 * kind.
 */
export function compilePatchType(definition: ResourceDefinition): StructType {
  const schema = jsonSchema(definition.schema);
  const properties = {
    ...schema.properties,
    kind: { type: 'string' },
    apiVersion: { type: 'string' },
    metadata: OBJECT_META,
  };
  return structOf({ ...schema, properties }, definition.kind);
}

function typeOf(schema: JsonSchema, name: string): PatchType {
  if (schema.properties !== undefined) return structOf(schema, name);
  if (schema.items !== undefined) return { shape: 'list', items: typeOf(schema.items, name) };
  // A free-form object declares no members: a struct without members, which merges with nothing.
  if (schema['x-kubernetes-preserve-unknown-fields'] === true) return structOf(schema, name);
  return schema.type === 'object' ? MAP : SCALAR;
}

function structOf(schema: JsonSchema, parent: string): StructType {
  const name = schema['x-component']?.split('.').pop() ?? parent;
  const fields = new Map<string, PatchField>();
  for (const [member, property] of Object.entries(schema.properties ?? {})) {
    const strategies = String(property['x-kubernetes-patch-strategy'] ?? '').split(',');
    const strategy = strategies.find((each) => each === 'merge' || each === 'replace');
    fields.set(member, {
      type: typeOf(property, name + member.charAt(0).toUpperCase() + member.slice(1)),
      ...(strategy !== undefined && { strategy }),
      mergeKey: String(property['x-kubernetes-patch-merge-key'] ?? ''),
    });
  }
  return { shape: 'struct', name, fields };
}
