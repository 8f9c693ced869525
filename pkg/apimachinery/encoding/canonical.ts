import { membersOf } from './members.js';
import type { KubeObject, ObjectMeta } from '../../../api/resource.js';
import { runToCompletion, type Steps } from '../eventloop/slices.js';
import { encodeString } from './gostring.js';

/**
 * Canonical JSON, as stored, and as served after {@link spliceResourceVersion}. Begins
 * `{"kind":…,"apiVersion":…,"metadata":{`; members of metadata and its lists have Kubernetes' order, all other
 * members are sorted by the bytes of their names; `undefined` and resourceVersion are omitted. Equal objects have
 * equal bytes, whatever the order of their members.
 */
export const encodeObject = (object: KubeObject): Buffer => runToCompletion(encodeObjectSteps(object));

/** The same in steps, for what clients write. */
export function* encodeObjectSteps(object: KubeObject): Steps<Buffer> {
  let text = `{"kind":${encodeString(object.kind)},"apiVersion":${encodeString(object.apiVersion)},"metadata":`;
  text += yield* encodeMetadata(object.metadata);
  for (const member of sortedMembers(object)) {
    if (member === 'kind' || member === 'apiVersion' || member === 'metadata') continue;
    yield;
    const value = object[member];
    if (value !== undefined) text += `,${encodeName(member)}${encodeValue(value)}`;
  }
  yield;
  return Buffer.from(text + '}', 'utf8');
}

/** Bytes of `{"kind":"K","apiVersion":"v","metadata":{`: where {@link spliceResourceVersion} inserts. */
export function headLength(kind: string, apiVersion: string): number {
  return Buffer.byteLength(
    `{"kind":${encodeString(kind)},"apiVersion":${encodeString(apiVersion)},"metadata":{`,
  );
}

/** A copy of `stored` with `"resourceVersion":"N",` as the first member of metadata. */
export function spliceResourceVersion(stored: Buffer, headLength: number, revision: number): Buffer {
  const closed = stored[headLength] === CLOSING_BRACE;
  const insert = `"resourceVersion":"${revision}"${closed ? '' : ','}`;
  const out = Buffer.allocUnsafe(stored.length + insert.length);
  stored.copy(out, 0, 0, headLength);
  out.write(insert, headLength, 'latin1');
  stored.copy(out, headLength + insert.length, headLength);
  return out;
}

const CLOSING_BRACE = 0x7d;

/** `k8s.io/apimachinery/pkg/apis/meta/v1.ObjectMeta`, without resourceVersion. */
const METADATA_ORDER: readonly (keyof ObjectMeta)[] = [
  'name',
  'generateName',
  'namespace',
  'selfLink',
  'uid',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'ownerReferences',
  'finalizers',
  'managedFields',
];
const KNOWN_METADATA: ReadonlySet<string> = new Set([...METADATA_ORDER, 'resourceVersion']);
const OWNER_ORDER = new Set(['apiVersion', 'kind', 'name', 'uid', 'controller', 'blockOwnerDeletion']);
const MANAGED_FIELDS_ORDER = new Set([
  'manager',
  'operation',
  'apiVersion',
  'time',
  'fieldsType',
  'fieldsV1',
  'subresource',
]);

function* encodeMetadata(metadata: ObjectMeta): Steps<string> {
  let text = '';
  for (const name of METADATA_ORDER) {
    const value = metadata[name];
    if (value === undefined) continue;
    if (name === 'managedFields') yield;
    text += `${text === '' ? '' : ','}${encodeName(name)}${encodeMetadataValue(name, value)}`;
  }
  const members = membersOf(metadata);
  return `{${withMembers(text, members, othersThan(KNOWN_METADATA, metadata))}}`;
}

function encodeMetadataValue(name: string, value: unknown): string {
  if (!Array.isArray(value)) return encodeValue(value);
  if (name === 'ownerReferences') return encodeListOf(value, OWNER_ORDER);
  if (name === 'managedFields') return encodeListOf(value, MANAGED_FIELDS_ORDER);
  return encodeValue(value);
}

function encodeListOf(list: readonly unknown[], order: ReadonlySet<string>): string {
  return `[${list.map((item) => (isMap(item) ? encodeInOrder(item, order) : encodeValue(item))).join(',')}]`;
}

function encodeInOrder(map: Record<string, unknown>, order: ReadonlySet<string>): string {
  return `{${withMembers(withMembers('', map, order), map, othersThan(order, map))}}`;
}

/** Returns `text`, followed by the present members of these names. */
function withMembers(text: string, map: Readonly<Record<string, unknown>>, names: Iterable<string>): string {
  let members = text;
  for (const name of names) {
    const value = Object.hasOwn(map, name) ? map[name] : undefined;
    if (value === undefined) continue;
    members += `${members === '' ? '' : ','}${encodeName(name)}${encodeValue(value)}`;
  }
  return members;
}

function othersThan(known: ReadonlySet<string>, map: object): readonly string[] {
  for (const name in map) if (!known.has(name)) return sortedMembers(map).filter((each) => !known.has(each));
  return [];
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Encodes any value with sorted maps. */
export function encodeValue(value: unknown): string {
  if (typeof value === 'string') return encodeString(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return encodeList(value);
  const map = membersOf(value);
  let text = '';
  for (const name of sortedMembers(map)) {
    const member = map[name];
    if (member === undefined) continue;
    text += `${text === '' ? '' : ','}${encodeName(name)}${encodeValue(member)}`;
  }
  return `{${text}}`;
}

function encodeList(list: readonly unknown[]): string {
  let text = '';
  for (let i = 0; i < list.length; i++) text += (i === 0 ? '' : ',') + encodeValue(list[i]);
  return `[${text}]`;
}

/** Larger maps have names that clients choose, which are not cached. */
const MANY = 1_000;

/** Names sorted by their UTF-8 bytes, as Go sorts the keys of maps. */
export function sortedMembers(map: object): string[] {
  const names = Object.keys(map);
  const codeUnits = names.length > MANY ? !names.some(hasSurrogate) : names.every(isPlainName);
  if (!codeUnits) return names.sort(compareBytes);
  for (let i = 1; i < names.length; i++) {
    if (names[i - 1]! > names[i]!) return names.sort();
  }
  return names;
}

const hasSurrogate = (text: string): boolean => /[\ud800-\udfff]/.test(text);

/** Compares UTF-8 bytes, which gives the order of code points, not that of UTF-16 units. */
export function compareBytes(a: string, b: string): number {
  if (hasSurrogate(a) || hasSurrogate(b)) return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The size of the cache of names, which objects of a kind repeat; all kinds share it. */
const MAX_NAMES = 8192;
/** Longer names are not cached. */
const MAX_CHARACTERS = 128;
const BEYOND_ASCII = /[^ -~]/;

/**
 * Caches {@link encodeName} of ASCII names. It is cleared when full, which bounds the memory for names that clients
 * choose.
 */
const known = new Map<string, string>();

/** A member's name in Go's JSON, with the colon. */
function encodeName(name: string): string {
  return known.get(name) ?? (isPlainName(name) ? known.get(name) : undefined) ?? `${encodeString(name)}:`;
}

/** Whether a name is printable ASCII, whose order by code units is the order by bytes. */
function isPlainName(name: string): boolean {
  if (known.has(name)) return true;
  if (BEYOND_ASCII.test(name)) return false;
  if (name.length > MAX_CHARACTERS) return true;
  if (known.size >= MAX_NAMES) known.clear();
  known.set(name, `${encodeString(name)}:`);
  return true;
}
