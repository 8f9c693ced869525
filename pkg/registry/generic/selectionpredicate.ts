import { parseFieldSelector, type FieldSelector } from '../../apimachinery/selectors/fields.js';
import { parseLabelSelector, type LabelSelector } from '../../apimachinery/selectors/labels.js';
import { parseShardSelector, type ShardSelector } from '../../apimachinery/selectors/shard/shardselector.js';
import { headLength } from '../../apimachinery/encoding/canonical.js';
import { storedLabels, storedUid } from '../../apimachinery/encoding/storedlabels.js';
import { apiVersionOf, type ResourceDefinition } from '../../../api/resource.js';
import { quote } from '../../apimachinery/errors.js';
import type { ListOptions } from '../../apimachinery/options/list.js';
import type { Entry, IndexKey } from '../../cache/interface.js';
import { fieldOf } from '../object/indexkeys.js';

/** The selectors of a list, a watch or a deletecollection. */
export interface Selection {
  /** No selector: everything matches. */
  readonly all: boolean;
  /** The name that `metadata.name=` pins, if any. */
  readonly name: string | undefined;
  /** The namespace that `metadata.namespace=` pins, if any. */
  readonly namespace: string | undefined;
  /** Values that every match has, each of which can be looked up in an index. */
  readonly values: readonly { readonly key: IndexKey; readonly value: string }[];
  /** The canonical text of the shard selector, if there is one. */
  readonly shards?: string;
  matches(entry: Entry): boolean;
}

/** The parameters that select objects, as written; `''`: everything. */
export type Selectors = Pick<ListOptions, 'labelSelector' | 'fieldSelector' | 'shardSelector'>;

const EVERYTHING: Selection = {
  all: true,
  name: undefined,
  namespace: undefined,
  values: [],
  matches: () => true,
};

/** Throws StatusError 400 with the messages of Kubernetes' parsers. */
export function parseSelection(
  definition: ResourceDefinition,
  { labelSelector, fieldSelector, shardSelector }: Selectors,
): Selection {
  if (labelSelector === '' && fieldSelector === '' && shardSelector === '') return EVERYTHING;
  const metadataStart = headLength(definition.kind, apiVersionOf(definition));
  const labels = parseLabelSelector(labelSelector);
  const fields = parseFieldSelector(fieldSelector, (field) => unsupported(definition, field));
  const shards = shardSelector === '' ? undefined : parseShardSelector(shardSelector);
  if (labels.empty && fields.empty && shards === undefined) return EVERYTHING;
  return {
    all: false,
    name: fields.exact('metadata.name'),
    namespace: fields.exact('metadata.namespace'),
    values: [...labelValues(labels), ...fieldValues(fields)],
    ...(shards !== undefined && { shards: shards.toString() }),
    matches: (entry) =>
      matchesShards(shards, entry, metadataStart) &&
      matchesLabels(labels, entry, metadataStart) &&
      matchesFields(definition, fields, entry),
  };
}

/** Objects are not parsed here, as by {@link matchesLabels}. */
function matchesShards(selector: ShardSelector | undefined, entry: Entry, metadataStart: number): boolean {
  if (selector === undefined) return true;
  const byNamespace = selector.field === 'object.metadata.namespace';
  return selector.matches(byNamespace ? entry.namespace : storedUid(entry.bytes, metadataStart));
}

function matchesFields(definition: ResourceDefinition, selector: FieldSelector, entry: Entry): boolean {
  if (selector.empty) return true;
  return selector.matches((field) => fieldOf(definition, entry, field));
}

function labelValues({ requirements }: LabelSelector): Selection['values'] {
  return requirements.flatMap(({ key: name, operator, values }) => {
    const [value] = values;
    const one = operator === '=' || operator === '==' || (operator === 'in' && values.length === 1);
    return one && value !== undefined ? [{ key: { by: 'label', name } as const, value }] : [];
  });
}

function fieldValues({ requirements }: FieldSelector): Selection['values'] {
  return requirements.flatMap(({ field: name, operator, value }) =>
    operator === '=' && !name.startsWith('metadata.') ? [{ key: { by: 'field', name } as const, value }] : [],
  );
}

/** Reads the labels alone: objects are not parsed. `metadataStart`: as of `storedLabels`. */
function matchesLabels(selector: LabelSelector, entry: Entry, metadataStart: number): boolean {
  return selector.empty || selector.matches(storedLabels(entry.bytes, metadataStart));
}

function unsupported(definition: ResourceDefinition, field: string): string | undefined {
  if (field === 'metadata.name') return undefined;
  if (field === 'metadata.namespace' && (definition.namespaced || definition.builtIn)) return undefined;
  if (definition.selectableFields.includes(field)) return undefined;
  if (!definition.builtIn || definition.selectableFields.length > 0)
    return `field label not supported: ${field}`;
  return `${quote(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`;
}
