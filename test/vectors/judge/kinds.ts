import { defineResource, type ResourceDefinition } from '../../../api/resource.js';
import { jsonSchema, type JsonSchema } from '../../../pkg/apimachinery/schema/jsonschema.js';
import { KINDS } from '../../../pkg/management/kinds.js';
import { mergeKindsOf } from '../mergekinds.js';
import type { Schemas } from './judge.js';
import type { Meta, PatchMeta } from './strategicmerge.js';

/** The kind as the Go type of the vectors: its schema, of this server or else of schemas.json, with the members of the type. */
export function definitionOf(kind: string, schemas: Schemas): ResourceDefinition {
  const { patchMeta } = schemas;
  const own = KINDS.find(({ definition }) => definition.kind === kind)?.definition;
  const told = [...mergeKindsOf(schemas).values()].find((each) => each.kind === kind);
  const declared = own === undefined ? told?.schema : jsonSchema(own.schema);
  if (declared === undefined) throw new Error(`schemas.json has no kind ${kind}`);
  const type = { kind: 'struct', type: patchMeta.kinds[kind] ?? kind } as const;
  const {
    kind: _,
    apiVersion: __,
    metadata: ___,
    ...properties
  } = narrowed(declared, type, patchMeta).properties ?? {};
  return defineResource({
    group: own?.group ?? told?.group ?? '',
    version: own?.version ?? told?.servedVersions[0] ?? 'v1',
    kind,
    plural: `${kind.toLowerCase()}s`,
    namespaced: own?.namespaced ?? told?.namespaced ?? true,
    builtIn: true,
    description: '',
    schema: { type: 'object', properties } as unknown as ResourceDefinition['schema'],
  });
}

/** The schema with the members that the type has, and no others. */
function narrowed(schema: JsonSchema, meta: Meta, patchMeta: PatchMeta): JsonSchema {
  if (meta.kind === 'list' && schema.items !== undefined && meta.items !== undefined)
    return { ...schema, items: narrowed(schema.items, meta.items, patchMeta) };
  const members = meta.kind === 'struct' ? patchMeta.types[meta.type ?? ''] : undefined;
  if (members === undefined) return schema;
  const properties = Object.entries(members).map(
    ([name, member]) => [name, narrowed(schema.properties?.[name] ?? {}, member, patchMeta)] as const,
  );
  return { type: 'object', properties: Object.fromEntries(properties) };
}
