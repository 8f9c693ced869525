import type { JsonValue } from '../../../../api/resource.js';
import { int64 } from '../../../../api/exactjson.js';
import { MAX_DEPTH, TOO_DEEP } from '../depth.js';
import { DecodeError, setMember } from '../json.js';
import { keyText, resolvePlain, resolveTagged, type YamlScalar } from './yamlscalar.js';
import type { YamlAlias, YamlMapping, YamlNode, YamlScalarNode } from './yamlnode.js';

/** The maximum number of nodes that aliases of a document expand to. */
const MAX_ALIASED_NODES = 10_000;
/** The maximum number of steps through aliases that create no node: nulls, keys and merges. */
const MAX_ALIASED_STEPS = 30_000;
/** The maximum number of characters in them: as in a body. */
const MAX_ALIASED_TEXT = 3 * 1024 * 1024;

/** The state of a walk over a document. */
interface Walk {
  /** Nodes whose content is being read, to detect recursive aliases. */
  readonly open: Set<YamlNode>;
  readonly duplicates: string[];
  aliasDepth: number;
  aliasedNodes: number;
  aliasedSteps: number;
  aliasedText: number;
}

/** The maximum number of reported duplicate keys. */
const MAX_DUPLICATES = 1_000;

const EXCESSIVE = 'yaml: document contains excessive aliasing';

type JsonMap = { [member: string]: JsonValue };

/**
 * The JSON value of a document. `duplicates` are `line 7: key "x" already set in map`, in order. Throws
 * {@link DecodeError}.
 */
export function valueOfDocument(root: YamlNode): { value: JsonValue; duplicates: string[] } {
  const walk: Walk = {
    open: new Set(),
    duplicates: [],
    aliasDepth: 0,
    aliasedNodes: 0,
    aliasedSteps: 0,
    aliasedText: 0,
  };
  return { value: valueOf(root, walk, 0), duplicates: walk.duplicates };
}

function valueOf(node: YamlNode, walk: Walk, depth: number): JsonValue {
  countStep(walk);
  if (depth > MAX_DEPTH) throw new DecodeError(`yaml: ${TOO_DEEP}`);
  if (walk.aliasDepth > 0 && ++walk.aliasedNodes > MAX_ALIASED_NODES) {
    throw new DecodeError(EXCESSIVE);
  }
  if (node.kind === 'alias') return aliased(node, walk, (target) => valueOf(target, walk, depth + 1));
  if (node.kind === 'scalar') return finite(scalarOf(node, walk));
  if (depth === MAX_DEPTH) throw new DecodeError(`yaml: ${TOO_DEEP}`);
  walk.open.add(node);
  try {
    if (node.kind === 'mapping') return mapOf(node, walk, depth);
    return node.items.map((item) => valueOf(item, walk, depth + 1));
  } finally {
    walk.open.delete(node);
  }
}

/** Counts what is read by way of an alias, which costs nothing in the text. Throws {@link DecodeError}. */
function countStep(walk: Walk): void {
  if (walk.aliasDepth > 0 && ++walk.aliasedSteps > MAX_ALIASED_STEPS) throw new DecodeError(EXCESSIVE);
}

function aliased<T>({ name, target }: YamlAlias, walk: Walk, read: (target: YamlNode) => T): T {
  if (walk.open.has(target)) throw new DecodeError(`yaml: anchor '${name}' value contains itself`);
  walk.aliasDepth++;
  try {
    return read(target);
  } finally {
    walk.aliasDepth--;
  }
}

function mapOf(node: YamlMapping, walk: Walk, depth: number): JsonMap {
  const map: JsonMap = {};
  fillMap(map, new Set(), node, walk, depth);
  return map;
}

/** Members in the order of the text: a merge (`<<`) overrides what stands before it, as in `sigs.k8s.io/yaml`. */
function fillMap(map: JsonMap, seen: Set<YamlScalar>, node: YamlMapping, walk: Walk, depth: number): void {
  for (const [key, value] of node.entries) {
    if (isMergeKey(key)) {
      merge(map, seen, value, walk, depth);
      continue;
    }
    const { value: unique, name } = keyOf(key, walk);
    setMember(map, name, valueOf(value, walk, depth + 1));
    if (seen.has(unique) && walk.duplicates.length < MAX_DUPLICATES) {
      walk.duplicates.push(`line ${value.line}: key ${JSON.stringify(unique)} already set in map`);
    }
    seen.add(unique);
  }
}

const isMergeKey = (key: YamlNode): boolean =>
  key.kind === 'scalar' && key.text === '<<' && (key.isImplicit || key.tag === 'tag:yaml.org,2002:merge');

function merge(map: JsonMap, seen: Set<YamlScalar>, source: YamlNode, walk: Walk, depth: number): void {
  countStep(walk);
  const sources = source.kind === 'sequence' ? [...source.items].reverse() : [source];
  for (const each of sources) mergeOne(map, seen, each, walk, depth + 1);
}

function mergeOne(map: JsonMap, seen: Set<YamlScalar>, source: YamlNode, walk: Walk, depth: number): void {
  countStep(walk);
  if (depth > MAX_DEPTH) throw new DecodeError(`yaml: ${TOO_DEEP}`);
  if (source.kind === 'alias') {
    aliased(source, walk, (target) => mergeOne(map, seen, target, walk, depth));
  } else if (source.kind === 'mapping') {
    fillMap(map, seen, source, walk, depth);
  } else {
    throw new DecodeError('yaml: map merge requires map or sequence of maps as the value');
  }
}

function scalarOf({ text, tag, isImplicit }: YamlScalarNode, walk: Walk): YamlScalar {
  if (walk.aliasDepth > 0) {
    walk.aliasedText += text.length;
    if (walk.aliasedText > MAX_ALIASED_TEXT) throw new DecodeError(EXCESSIVE);
  }
  if (tag !== '') return resolveTagged(tag, text);
  return isImplicit ? resolvePlain(text) : text;
}

function finite(value: YamlScalar): JsonValue {
  if (typeof value === 'bigint') return int64(value) ?? Number(value);
  if (typeof value !== 'number' || Number.isFinite(value)) return value;
  const name = Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
  throw new DecodeError(`json: unsupported value: ${name}`);
}

/** A key as it is compared with others, and as a member of JSON. */
function keyOf(key: YamlNode, walk: Walk): { value: YamlScalar; name: string } {
  countStep(walk);
  if (key.kind === 'alias') return aliased(key, walk, (target) => keyOf(target, walk));
  if (key.kind !== 'scalar') throw new DecodeError('yaml: invalid map key');
  const value = scalarOf(key, walk);
  return { value, name: keyText(value, key.text) };
}
