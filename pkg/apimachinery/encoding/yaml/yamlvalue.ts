import type { Document, Node, Scalar, YAMLMap } from 'yaml';
import type { JsonValue } from '../../../../api/resource.js';
import { MAX_DEPTH, TOO_DEEP } from '../depth.js';
import { DecodeError, setMember } from '../json.js';
import { resolvePlain, resolveTagged, type YamlScalar } from './yamlscalar.js';
import { yamlPackage } from './yamlpackage.js';

/** The maximum number of nodes that aliases of a document expand to. */
const MAX_ALIASED_NODES = 10_000;
/** The maximum number of steps through aliases that create no node: nulls, keys and merges. */
const MAX_ALIASED_STEPS = 30_000;
/** The maximum number of characters in them: as in a body. */
const MAX_ALIASED_TEXT = 3 * 1024 * 1024;

/** The state of a walk over a document. */
interface Walk {
  readonly anchors: Map<string, Node>;
  /** Anchored nodes whose content is being read, to detect recursive aliases. */
  readonly open: Set<Node>;
  readonly lineOf: (offset: number) => number;
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
 * The JSON value of a document whose scalars are unresolved texts. `duplicates` are `line 7: key "x" already set in
 * map`, in order. Throws {@link DecodeError}.
 */
export function valueOfDocument(
  document: Document.Parsed,
  lineOf: (offset: number) => number,
): { value: JsonValue; duplicates: string[] } {
  const walk: Walk = {
    anchors: new Map(),
    open: new Set(),
    lineOf,
    duplicates: [],
    aliasDepth: 0,
    aliasedNodes: 0,
    aliasedSteps: 0,
    aliasedText: 0,
  };
  return { value: valueOf(document.contents, walk, 0), duplicates: walk.duplicates };
}

function valueOf(node: Node | null | undefined, walk: Walk, depth: number): JsonValue {
  const { isAlias, isMap, isScalar, isSeq } = yamlPackage();
  countStep(walk);
  if (node === null || node === undefined) return null;
  if (depth > MAX_DEPTH) throw new DecodeError(`yaml: ${TOO_DEEP}`);
  if (walk.aliasDepth > 0 && ++walk.aliasedNodes > MAX_ALIASED_NODES) {
    throw new DecodeError(EXCESSIVE);
  }
  if (isAlias(node)) return aliased(node.source, walk, (target) => valueOf(target, walk, depth + 1));
  if ('anchor' in node && typeof node.anchor === 'string') walk.anchors.set(node.anchor, node);
  if (isScalar(node)) return finite(scalarOf(node, walk));
  if (depth === MAX_DEPTH) throw new DecodeError(`yaml: ${TOO_DEEP}`);
  walk.open.add(node);
  try {
    if (isSeq<Node | null>(node)) return node.items.map((item) => valueOf(item, walk, depth + 1));
    if (isMap<Node | null, Node | null>(node)) return mapOf(node, walk, depth);
  } finally {
    walk.open.delete(node);
  }
  throw new DecodeError('yaml: unknown node');
}

/** Counts what is read by way of an alias, which costs nothing in the text. Throws {@link DecodeError}. */
function countStep(walk: Walk): void {
  if (walk.aliasDepth > 0 && ++walk.aliasedSteps > MAX_ALIASED_STEPS) throw new DecodeError(EXCESSIVE);
}

function aliased<T>(name: string, walk: Walk, read: (target: Node) => T): T {
  const target = walk.anchors.get(name);
  if (target === undefined) throw new DecodeError(`yaml: unknown anchor '${name}' referenced`);
  if (walk.open.has(target)) throw new DecodeError(`yaml: anchor '${name}' value contains itself`);
  walk.aliasDepth++;
  try {
    return read(target);
  } finally {
    walk.aliasDepth--;
  }
}

function mapOf(node: YAMLMap<Node | null, Node | null>, walk: Walk, depth: number): JsonMap {
  const map: JsonMap = {};
  fillMap(map, new Set(), node, walk, depth);
  return map;
}

/** Members in the order of the text: a merge (`<<`) overrides what stands before it, as in `sigs.k8s.io/yaml`. */
function fillMap(
  map: JsonMap,
  seen: Set<YamlScalar>,
  node: YAMLMap<Node | null, Node | null>,
  walk: Walk,
  depth: number,
): void {
  for (const { key, value } of node.items) {
    if (isMergeKey(key)) {
      merge(map, seen, value, walk, depth);
      continue;
    }
    const name = keyOf(key, walk);
    if (seen.has(name) && walk.duplicates.length < MAX_DUPLICATES) {
      const line = walk.lineOf(key?.range?.[0] ?? 0);
      walk.duplicates.push(`line ${line}: key ${JSON.stringify(name)} already set in map`);
    }
    seen.add(name);
    setMember(map, keyText(name), valueOf(value, walk, depth + 1));
  }
}

const isMergeKey = (key: Node | null): boolean =>
  yamlPackage().isScalar(key) &&
  key.value === '<<' &&
  (key.type === 'PLAIN' || key.tag === 'tag:yaml.org,2002:merge');

function merge(map: JsonMap, seen: Set<YamlScalar>, source: Node | null, walk: Walk, depth: number): void {
  countStep(walk);
  if (depth > MAX_DEPTH) throw new DecodeError(`yaml: ${TOO_DEEP}`);
  const { isAlias, isMap, isSeq } = yamlPackage();
  if (isAlias(source)) {
    aliased(source.source, walk, (target) => merge(map, seen, target, walk, depth + 1));
  } else if (isMap<Node | null, Node | null>(source)) {
    fillMap(map, seen, source, walk, depth + 1);
  } else if (isSeq<Node | null>(source)) {
    for (const item of [...source.items].reverse()) merge(map, seen, item, walk, depth + 1);
  } else {
    throw new DecodeError('yaml: map merge requires map or sequence of maps as the value');
  }
}

const LONE_SURROGATE = /\p{Surrogate}/u;

function scalarOf(node: Scalar, walk: Walk): YamlScalar {
  const text = String(node.value ?? '');
  if (LONE_SURROGATE.test(text)) {
    const line = walk.lineOf(node.range?.[0] ?? 0);
    const where = line > 1 ? `line ${line}: ` : '';
    throw new DecodeError(`yaml: ${where}found invalid Unicode character escape code`);
  }
  if (walk.aliasDepth > 0) {
    walk.aliasedText += text.length;
    if (walk.aliasedText > MAX_ALIASED_TEXT) throw new DecodeError(EXCESSIVE);
  }
  if (node.tag !== undefined) return resolveTagged(node.tag, text);
  return node.type === 'PLAIN' ? resolvePlain(text) : text;
}

function finite(value: YamlScalar): JsonValue {
  if (typeof value !== 'number' || Number.isFinite(value)) return value;
  const name = Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
  throw new DecodeError(`json: unsupported value: ${name}`);
}

function keyOf(key: Node | null, walk: Walk): YamlScalar {
  countStep(walk);
  const { isAlias, isScalar } = yamlPackage();
  if (isAlias(key)) return aliased(key.source, walk, (target) => keyOf(target, walk));
  if (key === null) return null;
  if (!isScalar(key)) throw new DecodeError('yaml: invalid map key');
  if (key.anchor !== undefined) walk.anchors.set(key.anchor, key);
  return scalarOf(key, walk);
}

function keyText(key: YamlScalar): string {
  if (key === null) throw new DecodeError('unsupported map key of type: null');
  if (typeof key !== 'number' || Number.isFinite(key)) return String(key);
  return Number.isNaN(key) ? '.nan' : key > 0 ? '.inf' : '-.inf';
}
