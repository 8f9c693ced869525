/** Long documents as indented JSON and as YAML, an item at a time, so that no list is written down in one step. */
import { encodePretty } from '../../apimachinery/encoding/json.js';
import { encodeYaml } from '../../apimachinery/encoding/yaml/yaml.js';
import { yamlChunks as piecesOfYaml } from '../../apimachinery/encoding/yaml/yamlwriter.js';
import { joinChunks } from './chunks.js';

/** A chunk is made in one step, which takes up to 5 ms. */
const YAML_PIECE_BYTES = 16 * 1024;

/** A list or a Table, taken apart. */
export interface DocumentParts {
  /** The document without its items: their member is the last and an empty list. */
  readonly head: object;
  /** The member that the items belong to. */
  readonly member: 'items' | 'rows';
  readonly count: number;
  /** The items, made as they are asked for. */
  readonly items: Iterable<object>;
}

/** The bytes of `encodePretty` of the whole document, in chunks. */
export function prettyChunks({ head, count, items }: DocumentParts): Generator<Buffer> {
  const text = encodePretty(head);
  const tail = ']\n}';
  if (count === 0) return joinChunks(text, [], '');
  return joinChunks(text.slice(0, -tail.length), prettyItems(items), `\n  ${tail}`);
}

function* prettyItems(items: Iterable<object>): Generator<Buffer> {
  for (const item of items) yield Buffer.from(`\n    ${encodePretty(item).replaceAll('\n', '\n    ')}`);
}

/** The bytes of `encodeYaml` of the whole document, in chunks. */
export function yamlChunks({ head, member, count, items }: DocumentParts): Generator<Buffer> {
  const text = encodeYaml(head);
  if (count === 0) return joinChunks(text, [], '');
  const mark = `${member}: []\n`;
  const at = text.startsWith(mark) ? 0 : text.indexOf(`\n${mark}`) + 1;
  return joinChunks(
    `${text.slice(0, at)}${member}:\n`,
    yamlItems(items),
    text.slice(at + mark.length),
    '',
    YAML_PIECE_BYTES,
  );
}

/** Items of a list are not indented, and their lines are. */
function* yamlItems(items: Iterable<object>): Generator<Buffer> {
  for (const item of items) {
    yield Buffer.from('- ');
    for (const chunk of piecesOfYaml(item, '  ')) yield Buffer.from(chunk);
    yield Buffer.from('\n');
  }
}
