/**
 * The annotation of kubectl's client-side apply, and the migration to server-side apply
 * (`k8s.io/apimachinery/pkg/util/managedfields/internal`: lastappliedmanager.go, lastappliedupdater.go).
 */
import { jsonOfObject } from '../encoding/objectjson.js';
import type { JsonValue, KubeObject } from '../../../api/resource.js';
import { encodeValue } from '../encoding/canonical.js';
import { compareTyped } from './typed/compare.js';
import { ApplyConflict, type Conflict } from './conflict.js';
import { difference, type FieldSet } from './fieldpath/fieldset.js';
import { toFieldSet } from './typed/tofieldset.js';
import type { TrackedKind } from './trackedkind.js';
import { asMap, memberOf, type JsonMap } from './typed/typed.js';
import { validateValue } from './typed/validate.js';
import { LAST_APPLIED, withoutWriteOnly } from './writeonly.js';
import { parseJson } from '../encoding/depth.js';

/** The manager that the annotation applies to. */
export const KUBECTL = 'kubectl';

const MAX_ANNOTATION_BYTES = 262_144;

/**
 * The conflicts except for fields that the annotation has with their live values; undefined if none remain. All
 * conflicts if there is no usable annotation.
 */
export function conflictsBeyondLastApplied(
  kind: TrackedKind,
  live: KubeObject,
  conflict: ApplyConflict,
): ApplyConflict | undefined {
  const allowed = appliedBefore(kind, live);
  if (allowed === undefined) return conflict;
  const left = new Map<string, Conflict>();
  for (const [identity, { owner, set }] of conflict.conflicts) {
    const rest = difference(set, allowed);
    if (rest.size > 0) left.set(identity, { owner, set: rest });
  }
  return left.size === 0 ? undefined : new ApplyConflict(left);
}

function appliedBefore({ type }: TrackedKind, live: KubeObject): FieldSet | undefined {
  const object = jsonOfObject(live);
  const applied = parse(live.metadata.annotations?.[LAST_APPLIED] ?? '');
  if (applied === undefined || applied['apiVersion'] !== live.apiVersion) return undefined;
  if (validateValue(type, applied, false).length > 0 || validateValue(type, object, false).length > 0)
    return undefined;
  const { added, modified, removed } = compareTyped(type, applied, object);
  return difference(difference(difference(toFieldSet(type, applied), modified), added), removed);
}

/** Undefined for values other than an object with a kind. */
function parse(text: string): JsonMap | undefined {
  try {
    const value = asMap(parseJson(text));
    const kind = memberOf(value, 'kind');
    return typeof kind === 'string' && kind !== '' ? value : undefined;
  } catch {
    return undefined;
  }
}

/** If `object` has the annotation: the same object with the annotation of `config`. */
export function withLastApplied({ type }: TrackedKind, object: JsonMap, config: JsonValue): JsonMap {
  const metadata = asMap(object['metadata']);
  const annotations = asMap(metadata?.['annotations']);
  const before = memberOf(annotations, LAST_APPLIED);
  if (typeof before !== 'string' || before === '') return object;
  const text = `${encodeValue(withoutAnnotation(asMap(withoutWriteOnly(type, config)) ?? {}))}\n`;
  const { [LAST_APPLIED]: _, ...others } = annotations ?? {};
  const next =
    sizeOfEntries({ ...others, [LAST_APPLIED]: text }) > MAX_ANNOTATION_BYTES
      ? others
      : { ...others, [LAST_APPLIED]: text };
  return { ...object, metadata: { ...metadata, annotations: next } };
}

/** Annotations are a Go map of strings: null becomes an empty string, and a missing map is omitted. */
function withoutAnnotation(config: JsonMap): JsonMap {
  const metadata = asMap(config['metadata']);
  if (metadata?.['annotations'] === undefined) return config;
  const { annotations, ...rest } = metadata;
  if (annotations === null) return { ...config, metadata: rest };
  const { [LAST_APPLIED]: _, ...others } = asMap(annotations) ?? {};
  const texts = Object.fromEntries(Object.entries(others).map(([name, text]) => [name, text ?? '']));
  return { ...config, metadata: { ...rest, annotations: texts } };
}

function sizeOfEntries(annotations: JsonMap): number {
  return Object.entries(annotations).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(String(value)),
    0,
  );
}
