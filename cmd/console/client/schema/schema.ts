/** The schemas of the kinds of a group, from the server's OpenAPI v3 document. */

/** The parts of an OpenAPI 3.0 schema that are used here. */
export interface Schema {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly 'x-kubernetes-group-version-kind'?: readonly GroupVersionKind[];
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
}

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export interface OpenapiDocument {
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

/** The name of a field, or an index of a list. */
export type Step = string | number;

const REFERENCE = '#/components/schemas/';
/** The maximum length of a chain of references, as a document may have circular references. */
const MAX_REFERENCES = 10;

/** The schemas of one kind. */
export class KindSchema {
  private constructor(
    private readonly document: OpenapiDocument,
    private readonly root: Schema,
    private readonly kind: GroupVersionKind,
  ) {}

  /** Undefined if the document does not have the kind. `apiVersion`: such as `v1` or `management.svc.example/v1`. */
  static of(document: OpenapiDocument, apiVersion: string, kind: string): KindSchema | undefined {
    const [version = '', group = ''] = apiVersion.split('/').reverse();
    const wanted = { group, version, kind };
    const root = Object.values(document.components?.schemas ?? {}).find((schema) =>
      schema['x-kubernetes-group-version-kind']?.some(
        (one) => one.group === group && one.version === version && one.kind === kind,
      ),
    );
    return root && new KindSchema(document, root, wanted);
  }

  /** The schema at a path in the object; undefined if there is none. */
  at(path: readonly Step[]): Schema | undefined {
    let schema: Schema | undefined = this.resolved(this.root);
    for (const step of path) {
      const below: Schema | undefined = schema && belowOf(schema, step);
      schema = below && this.resolved(below);
    }
    const [first, ...more] = path;
    return schema && more.length === 0 ? this.withKnown(schema, first) : schema;
  }

  /** The schema with the only values that `apiVersion` and `kind` may have. */
  private withKnown(schema: Schema, field: Step | undefined): Schema {
    const { group, version, kind } = this.kind;
    if (field === 'apiVersion') return { ...schema, enum: [group === '' ? version : `${group}/${version}`] };
    return field === 'kind' ? { ...schema, enum: [kind] } : schema;
  }

  /** The schema that a reference points to, merged with the members beside the reference. */
  private resolved(schema: Schema, depth = 0): Schema {
    if (depth > MAX_REFERENCES) return {};
    const { $ref, allOf = [], ...own } = schema;
    const target = $ref?.startsWith(REFERENCE)
      ? this.document.components?.schemas?.[$ref.slice(REFERENCE.length)]
      : undefined;
    const parts = [...(target ? [target] : []), ...allOf].map((part) => this.resolved(part, depth + 1));
    return [...parts, own].reduce<Schema>((all, part) => ({ ...all, ...part }), {});
  }
}

function belowOf(schema: Schema, step: Step): Schema | undefined {
  if (typeof step === 'number') return schema.items;
  const { properties = {}, additionalProperties } = schema;
  if (Object.hasOwn(properties, step)) return properties[step];
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}

/** Whether every field that the schema does not name is an error. */
export const isClosed = (schema: Schema): boolean =>
  schema.properties !== undefined &&
  (schema.additionalProperties ?? false) === false &&
  schema['x-kubernetes-preserve-unknown-fields'] !== true;

/** A type such as `string`, `[]object` or `map of string`. */
export function typeOf(schema: Schema): string {
  const { type = '', items, properties, additionalProperties } = schema;
  if (items !== undefined) return `[]${typeOf(items)}`;
  if (properties === undefined && typeof additionalProperties === 'object')
    return `map of ${typeOf(additionalProperties)}`;
  return type === '' && (schema.$ref !== undefined || schema.allOf !== undefined) ? 'object' : type;
}
