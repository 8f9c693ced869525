import type { Document, LineCounter, YAMLParseError } from 'yaml';
import { runToCompletion, slices, type Steps } from '../../eventloop/slices.js';
import { DecodeError, decodeJsonSteps, type JsonDecoded } from '../json.js';
import { checkBodyValues } from '../valuecount.js';
import { yamlPackage } from './yamlpackage.js';
import { boundedTokens } from './yamltokens.js';
import { valueOfDocument } from './yamlvalue.js';
import { writeYaml, yamlChunks } from './yamlwriter.js';

const VERSION = /^%YAML[ \t]+([0-9]+)\.([0-9]+)[ \t]*(?:#.*)?$/;

/**
 * The directives before the first document, as `sigs.k8s.io/yaml` takes them: it knows `%YAML 1.1`, once, and `%TAG`.
 * Throws {@link DecodeError} for others.
 */
function checkDirectives(source: string): void {
  if (!/^\uFEFF?(?:\s|#.*\n)*%/.test(source)) return;
  let versions = 0;
  for (const [index, line] of source
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    if (/^\s*(?:#|$)/.test(line) || /^%TAG[ \t]/.test(line)) continue;
    if (!line.startsWith('%')) return;
    if (!/^%YAML(?![\w-])/.test(line)) throw refused('found unknown directive name', index && index + 1);
    const found = VERSION.exec(line);
    if (found === null) throw refused("did not find expected digit or '.' character", index && index + 1);
    versions += 1;
    if (versions > 1) throw refused('found duplicate %YAML directive', index);
    if (Number(found[1]) !== 1 || Number(found[2]) !== 1) {
      throw refused('found incompatible YAML document', index);
    }
  }
}

/** `line`: the library's number; 0 is omitted. */
const refused = (problem: string, line: number): DecodeError =>
  new DecodeError(`yaml: ${line === 0 ? '' : `line ${line}: `}${problem}`);

/**
 * Reads the first document as Kubernetes does (`sigs.k8s.io/yaml`): YAML 1.1 scalars, also as keys. No document, or
 * an empty one, is `{}`. The last of equal keys wins; `duplicates` then holds one finding of several lines. Throws
 * {@link DecodeError}, also for nesting beyond 400 and for aliases that stand for more than 10,000 nodes; StatusError 413
 * for more values than a body may have.
 */
export function decodeYaml(text: Buffer | string): JsonDecoded {
  const source = typeof text === 'string' ? text : text.toString('utf8');
  const json = runToCompletion(decodeJsonAsYaml(source));
  if (json !== undefined) return json;
  checkDirectives(source);
  const lines = new (yamlPackage().LineCounter)();
  const document = firstDocument(source, lines);
  if (document === undefined) return { value: {}, duplicates: [] };
  const error = document.errors.find((found) => !isBehind(document, found));
  if (error !== undefined) throw new DecodeError(explain(error, lines));
  const { value, duplicates } = valueOfDocument(document, (offset) => lines.linePos(offset).line);
  checkBodyValues(value);
  return { value: value ?? {}, duplicates: duplicates.length === 0 ? [] : [asFinding(duplicates)] };
}

/**
 * Block style, keys sorted, lists not indented, long lines whole: as `sigs.k8s.io/yaml` writes. Strings that YAML 1.1
 * would read as something else are quoted. Ends with a newline. `value` is of JSON, but members may be undefined.
 */
export const encodeYaml = (value: unknown): string => `${writeYaml(value)}\n`;

/** The bytes of {@link encodeYaml}, without holding the event loop while they are made. */
export async function encodeYamlInSlices(value: unknown): Promise<Buffer> {
  const pause = slices();
  let text = '';
  for (const piece of yamlChunks(value)) {
    text += piece;
    await pause();
  }
  return Buffer.from(`${text}\n`);
}

/** An escape that YAML only allows in a surrogate pair, but JSON always. */
const SURROGATE = /\\u[dD][89a-fA-F]/;

/**
 * Decodes JSON that was sent as YAML, as kubectl does for apply, a hundred times as fast. Undefined if the text is
 * not JSON, or has duplicate keys, for which YAML has other messages.
 */
export function* decodeJsonAsYaml(source: string): Steps<JsonDecoded | undefined> {
  if (!/^\s*\{/.test(source) || SURROGATE.test(source)) return undefined;
  try {
    const decoded = yield* decodeJsonSteps(source, { findDuplicates: true });
    return decoded.duplicates.length === 0 ? decoded : undefined;
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

function firstDocument(source: string, lines: LineCounter): Document.Parsed | undefined {
  const { Composer } = yamlPackage();
  const composer = new Composer({ schema: 'failsafe', version: '1.1', uniqueKeys: false, merge: false });
  // Reads all tokens first: the library composes a document when the next one begins, and the text after it may be too deep.
  const tokens = [...boundedTokens(source, lines.addNewLine)];
  return withoutStacks(() => {
    for (const document of composer.compose(tokens)) return document;
    return undefined;
  });
}

/**
 * The library creates an error for each invalid character, and stack traces would take ten times as long as finding
 * them.
 */
function withoutStacks<T>(compose: () => T): T {
  const kept = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return compose();
  } finally {
    Error.stackTraceLimit = kept;
  }
}

/** Whether the error is about text after a flow map or list at the root, which is ignored. */
function isBehind({ contents }: Document.Parsed, { code, pos }: YAMLParseError): boolean {
  const { isCollection } = yamlPackage();
  return (
    code === 'UNEXPECTED_TOKEN' &&
    isCollection(contents) &&
    contents.flow === true &&
    pos[0] >= contents.range[1]
  );
}

const asFinding = (lines: readonly string[]): string =>
  ['yaml: unmarshal errors:', ...lines.map((line) => `  ${line}`)].join('\n');

/** Go's messages for the library's errors; Go's scanner counts lines from 1, its parser from 0. */
const GO_TEXT: Readonly<Record<string, { readonly text: string; readonly of: 'scanner' | 'parser' }>> = {
  TAB_AS_INDENT: { text: 'found character that cannot start any token', of: 'scanner' },
  BAD_DQ_ESCAPE: { text: 'found unknown escape character', of: 'scanner' },
  BAD_INDENT: { text: 'did not find expected key', of: 'parser' },
  BLOCK_AS_IMPLICIT_KEY: { text: 'mapping values are not allowed in this context', of: 'scanner' },
};

function explain(error: YAMLParseError, lines: LineCounter): string {
  const { line } = lines.linePos(error.pos[0]);
  const atNodeEnd = error.code === 'UNEXPECTED_TOKEN' && error.message.includes('at node end');
  const found = GO_TEXT[atNodeEnd ? 'BAD_INDENT' : error.code];
  if (found === undefined) return `yaml: line ${line}: ${error.message}`;
  const reportedLine = found.of === 'parser' || line === 1 ? line - 1 : line;
  return reportedLine === 0 ? `yaml: ${found.text}` : `yaml: line ${reportedLine}: ${found.text}`;
}
