import type { JsonValue } from '../../../api/resource.js';
import { setMember } from '../encoding/json.js';
import { badDirective, badPrimitiveList, badRetainKeys, noField, notAStruct } from './strategicmergeerror.js';
import { mergeLists, orderElements } from './strategicmergelist.js';
import { has, isMap, newValue, typeTag, type JsonMap } from './strategicmergevalue.js';
import type { PatchField, PatchType, StructType } from './strategicmergetype.js';

const DIRECTIVE = '$patch';
const RETAIN_KEYS = '$retainKeys';
const DELETE_FROM = '$deleteFromPrimitiveList';
const ELEMENT_ORDER = '$setElementOrder';

/**
 * Kubernetes' strategic merge patch: like a merge patch, but lists merge as the schema declares, and the patch may
 * have directives (`$patch`, `$retainKeys`, `$deleteFromPrimitiveList/f`, `$setElementOrder/f`). Neither argument is
 * modified; the result shares unchanged parts and may have nulls and unknown members.
 *
 * Throws StatusError 400 for an invalid patch (`k8s.io/apimachinery/pkg/util/strategicpatch`, where most errors are
 * 500).
 */
export function applyStrategicMergePatch(document: JsonValue, patch: JsonValue, type: StructType): JsonValue {
  return mergeMaps(isMap(document) ? document : {}, isMap(patch) ? patch : {}, type);
}

function mergeMaps(original: JsonMap, patch: JsonMap, type: PatchType): JsonMap {
  if (has(patch, DIRECTIVE)) return directed(patch);
  const target = copyOf(original);
  const rest = copyOf(patch);
  retainKeys(target, rest);
  for (const name of Object.keys(rest)) {
    if (name.startsWith(ELEMENT_ORDER)) orderMember(target, rest, name, type);
  }
  for (const name of Object.keys(rest)) mergeMember(target, name, rest[name] ?? null, type);
  return target;
}

function directed(patch: JsonMap): JsonMap {
  const { [DIRECTIVE]: directive } = patch;
  if (directive === 'delete') return {};
  if (directive !== 'replace') throw badDirective(directive ?? null, patch);
  const whole = copyOf(patch);
  delete whole[DIRECTIVE];
  return whole;
}

/** `$retainKeys`: removes all other members, and the patch may set no others. */
function retainKeys(target: JsonMap, rest: JsonMap): void {
  if (!has(rest, RETAIN_KEYS)) return;
  const keys = rest[RETAIN_KEYS];
  delete rest[RETAIN_KEYS];
  if (!Array.isArray(keys) || keys.some((key) => typeof key === 'object' && key !== null))
    throw badRetainKeys();
  const retained = new Set(keys);
  for (const [name, value] of Object.entries(rest)) {
    const exempt = value === null || name.startsWith(DELETE_FROM) || name.startsWith(ELEMENT_ORDER);
    if (!exempt && !retained.has(name)) throw badRetainKeys();
  }
  for (const name of Object.keys(target)) if (!retained.has(name)) delete target[name];
}

/** `$setElementOrder/f`: removes the list `f` from the patch, merges it and sorts the result. */
function orderMember(target: JsonMap, rest: JsonMap, directive: string, type: PatchType): void {
  const order = rest[directive] ?? null;
  delete rest[directive];
  const slash = directive.indexOf('/');
  const name = slash === ELEMENT_ORDER.length ? directive.slice(slash + 1) : undefined;
  const ordered = orderElements({
    order,
    original: name !== undefined && has(target, name) ? target[name] : undefined,
    patch: name !== undefined && has(rest, name) ? rest[name] : undefined,
    name,
    field: () => fieldOf(type, name ?? ''),
    merge: mergeMaps,
  });
  if (ordered === undefined || name === undefined) return;
  setMember(target, name, ordered);
  delete rest[name];
}

function mergeMember(target: JsonMap, key: string, value: JsonValue, type: PatchType): void {
  const deletes = key.startsWith(DELETE_FROM);
  const name = deletes ? listOf(key) : key;
  if (value === null) {
    delete target[name];
    return;
  }
  const live = has(target, name) ? (target[name] ?? null) : undefined;
  if (live === undefined || typeTag(live) !== typeTag(value)) {
    if (deletes) return;
    const fresh = newValue(value, true);
    if (fresh === undefined) delete target[name];
    else setMember(target, name, fresh);
  } else if (Array.isArray(live) && Array.isArray(value)) {
    const field = fieldOf(type, name);
    setMember(target, name, mergeLists(live, value, field, deletes, mergeMaps));
  } else if (isMap(live) && isMap(value)) {
    const field = fieldOf(type, name);
    setMember(target, name, field.strategy === 'replace' ? value : mergeMaps(live, value, field.type));
  } else {
    setMember(target, name, value);
  }
}

function listOf(key: string): string {
  if (key.charAt(DELETE_FROM.length) !== '/') throw badPrimitiveList();
  return key.slice(DELETE_FROM.length + 1) || key;
}

function fieldOf(type: PatchType, name: string): PatchField {
  if (type.shape !== 'struct') throw notAStruct(type.shape === 'scalar' ? 'string' : type.shape);
  const field = type.fields.get(name);
  if (field === undefined) throw noField(type.name, name);
  return field;
}

function copyOf(map: JsonMap): JsonMap {
  const copy: JsonMap = {};
  for (const name of Object.keys(map)) setMember(copy, name, map[name] ?? null);
  return copy;
}
