import { tooManyValues } from '../../errors.js';
import { MAX_DEPTH, TOO_DEEP } from '../depth.js';
import { DecodeError } from '../json.js';
import { MAX_BODY_VALUES } from '../valuecount.js';
import { Directives } from './yamldirectives.js';
import type { YamlMapping, YamlNode, YamlScalarNode, YamlSequence } from './yamlnode.js';
import { Scanner, type Token } from './yamlscanner.js';

/** Keys are nodes too. */
const MAX_NODES = 2 * MAX_BODY_VALUES;

/**
 * Reads the first document of a text by the grammar of `sigs.k8s.io/yaml`, which is that of libyaml. Undefined if there
 * is none. Throws DecodeError, also for nesting beyond {@link MAX_DEPTH}; StatusError 413 for too many nodes.
 */
export const parseDocument = (text: string): YamlNode | undefined => new Parser(text).document();

type Types = ReadonlySet<Token['type']>;
const setOf = (...types: Token['type'][]): Types => new Set(types);

const OUTSIDE = setOf('directive', '---', '...', 'stream end');
const ENDS_BLOCK_ITEM = setOf('-', 'block end');
const ENDS_INDENTLESS_ITEM = setOf('-', 'key', 'value', 'block end');
const ENDS_BLOCK_ENTRY = setOf('key', 'value', 'block end');
const ENDS_FLOW_ITEM = setOf(',', ']');
const ENDS_FLOW_PAIR_KEY = setOf('value', ',', ']');
const ENDS_FLOW_ENTRY = setOf(',', '}');
const ENDS_FLOW_KEY = setOf('value', ',', '}');

/** Where a node stands; `indentless`: a list may have the column of the mapping around it. */
type Place = 'block' | 'indentless' | 'flow';

interface Properties {
  readonly line: number;
  readonly anchor: string;
  readonly tag: string;
}

class Parser {
  private readonly scanner: Scanner;
  private readonly directives = new Directives();
  private readonly anchors = new Map<string, YamlNode>();
  private depth = 0;
  private nodes = 0;

  constructor(text: string) {
    this.scanner = new Scanner(text);
  }

  document(): YamlNode | undefined {
    const { type } = this.scanner.peek();
    if (type === 'stream end') return undefined;
    const hasStart = type === 'directive' || type === '---';
    this.readDirectives();
    if (hasStart && !this.skips('---')) throw this.error('did not find expected <document start>');
    const root = hasStart ? this.nodeUnless(OUTSIDE, 'block', this.line()) : this.node('block');
    // The token behind it must be one, whatever it is.
    this.scanner.peek();
    return root;
  }

  /** Go's parser counts lines from 0, and does not name the first. */
  private error(problem: string, line = this.line()): DecodeError {
    return new DecodeError(`yaml: ${line === 0 ? '' : `line ${line}: `}${problem}`);
  }

  private line(): number {
    return this.scanner.peek().line;
  }

  private isAt(types: Types): boolean {
    return types.has(this.scanner.peek().type);
  }

  /** Passes the next token if it has that type. */
  private skips(type: Token['type']): boolean {
    const found = this.scanner.peek().type === type;
    if (found) this.scanner.skip();
    return found;
  }

  private readDirectives(): void {
    for (let token = this.scanner.peek(); token.type === 'directive'; token = this.scanner.peek()) {
      const problem = this.directives.add(token.directive);
      if (problem !== undefined) throw this.error(problem);
      this.scanner.skip();
    }
  }

  /** The node here, or an empty one where there is a token that ends it. */
  private nodeUnless(ends: Types, place: Place, line: number): YamlNode {
    return this.isAt(ends) ? this.empty(line) : this.node(place);
  }

  private node(place: Place): YamlNode {
    const token = this.scanner.peek();
    if (token.type === 'alias') return this.alias(token.name, token.line);
    const properties = this.properties(token.line);
    const content = this.scanner.peek();
    if (content.type === 'scalar') return this.scalar(content, properties);
    return this.collection(content.type, place, properties) ?? this.emptyWith(properties);
  }

  private collection(type: Token['type'], place: Place, properties: Properties): YamlNode | undefined {
    if (type === '[') return this.sequence(properties, (items) => this.flowSequence(items));
    if (type === '{') return this.mapping(properties, (entries) => this.flowMapping(entries));
    if (place === 'indentless' && type === '-') {
      return this.sequence(properties, (items) => this.indentlessSequence(items));
    }
    if (place === 'flow') return undefined;
    if (type === 'block sequence') return this.sequence(properties, (items) => this.blockSequence(items));
    if (type === 'block mapping') return this.mapping(properties, (entries) => this.blockMapping(entries));
    return undefined;
  }

  private alias(name: string, line: number): YamlNode {
    const target = this.anchors.get(name);
    if (target === undefined) throw new DecodeError(`yaml: unknown anchor '${name}' referenced`);
    this.scanner.skip();
    return this.counted({ kind: 'alias', name, target, line: line + 1 });
  }

  /** The tag and the anchor, in either order. */
  private properties(line: number): Properties {
    let anchor = this.anchor();
    const token = this.scanner.peek();
    if (token.type !== 'tag') return { line, anchor, tag: '' };
    this.scanner.skip();
    if (anchor === '') anchor = this.anchor();
    const tag = this.directives.resolve(token.tag);
    if (tag === undefined) throw this.error('found undefined tag handle', token.line);
    return { line, anchor, tag };
  }

  private anchor(): string {
    const token = this.scanner.peek();
    if (token.type !== 'anchor') return '';
    this.scanner.skip();
    return token.name;
  }

  private counted<T extends YamlNode>(node: T): T {
    if (++this.nodes > MAX_NODES) throw tooManyValues(MAX_BODY_VALUES);
    return node;
  }

  private anchored<T extends YamlNode>(anchor: string, node: T): T {
    if (anchor !== '') this.anchors.set(anchor, node);
    return this.counted(node);
  }

  private scalar(
    content: { text: string; isPlain: boolean },
    { line, anchor, tag }: Properties,
  ): YamlScalarNode {
    this.scanner.skip();
    const { text, isPlain } = content;
    const isImplicit = tag === '!' || (tag === '' && isPlain);
    return this.anchored(anchor, { kind: 'scalar', text, tag, isImplicit, line: line + 1 });
  }

  private empty(line: number): YamlScalarNode {
    return this.counted({ kind: 'scalar', text: '', tag: '', isImplicit: true, line: line + 1 });
  }

  private emptyWith({ line, anchor, tag }: Properties): YamlScalarNode {
    if (anchor === '' && tag === '') throw this.error('did not find expected node content');
    return this.anchored(anchor, { ...this.empty(line), tag, isImplicit: tag === '' });
  }

  private sequence({ line, anchor }: Properties, read: (items: YamlNode[]) => void): YamlSequence {
    const node: YamlSequence = { kind: 'sequence', items: [], line: line + 1 };
    this.anchored(anchor, node);
    this.within(() => read(node.items));
    return node;
  }

  private mapping(
    { line, anchor }: Properties,
    read: (entries: YamlMapping['entries']) => void,
  ): YamlMapping {
    const node: YamlMapping = { kind: 'mapping', entries: [], line: line + 1 };
    this.anchored(anchor, node);
    this.within(() => read(node.entries));
    return node;
  }

  private within(read: () => void): void {
    if (++this.depth > MAX_DEPTH) throw new DecodeError(`yaml: ${TOO_DEEP}`);
    read();
    this.depth--;
  }

  private blockSequence(items: YamlNode[]): void {
    this.scanner.skip();
    while (!this.skips('block end')) {
      const line = this.line();
      if (!this.skips('-')) throw this.error("did not find expected '-' indicator");
      items.push(this.nodeUnless(ENDS_BLOCK_ITEM, 'block', line));
    }
  }

  private indentlessSequence(items: YamlNode[]): void {
    for (let line = this.line(); this.skips('-'); line = this.line()) {
      items.push(this.nodeUnless(ENDS_INDENTLESS_ITEM, 'block', line));
    }
  }

  private blockMapping(entries: YamlMapping['entries']): void {
    this.scanner.skip();
    while (!this.skips('block end')) {
      const keyLine = this.line();
      if (!this.skips('key')) throw this.error('did not find expected key');
      const key = this.nodeUnless(ENDS_BLOCK_ENTRY, 'indentless', keyLine);
      const line = this.line();
      const hasValue = this.skips('value');
      entries.push([
        key,
        hasValue ? this.nodeUnless(ENDS_BLOCK_ENTRY, 'indentless', line) : this.empty(line),
      ]);
    }
  }

  private flowSequence(items: YamlNode[]): void {
    this.scanner.skip();
    while (!this.skips(']')) {
      if (items.length > 0 && !this.skips(',')) throw this.error("did not find expected ',' or ']'");
      if (this.scanner.peek().type !== ']') items.push(this.flowItem());
    }
  }

  private flowItem(): YamlNode {
    const line = this.line();
    if (!this.skips('key')) return this.node('flow');
    return this.mapping({ line, anchor: '', tag: '' }, (entries) => entries.push(this.flowPair()));
  }

  /** `[a: b]`. A key that is missing takes the token in its place with it, as in `sigs.k8s.io/yaml`. */
  private flowPair(): [YamlNode, YamlNode] {
    const keyLine = this.line();
    const isMissing = this.isAt(ENDS_FLOW_PAIR_KEY);
    if (isMissing) this.scanner.skip();
    const key = isMissing ? this.empty(keyLine) : this.node('flow');
    const line = this.line();
    return [key, this.skips('value') ? this.nodeUnless(ENDS_FLOW_ITEM, 'flow', line) : this.empty(line)];
  }

  private flowMapping(entries: YamlMapping['entries']): void {
    this.scanner.skip();
    while (!this.skips('}')) {
      if (entries.length > 0 && !this.skips(',')) throw this.error("did not find expected ',' or '}'");
      if (this.scanner.peek().type !== '}') entries.push(this.flowEntry());
    }
  }

  private flowEntry(): [YamlNode, YamlNode] {
    const isKey = this.skips('key');
    const key = isKey ? this.nodeUnless(ENDS_FLOW_KEY, 'flow', this.line()) : this.node('flow');
    const line = this.line();
    const hasValue = isKey && this.skips('value');
    return [key, hasValue ? this.nodeUnless(ENDS_FLOW_ENTRY, 'flow', this.line()) : this.empty(line)];
  }
}
