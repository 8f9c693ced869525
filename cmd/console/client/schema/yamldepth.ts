/** How deep a text of YAML may nest. The parser recurses and takes seconds, or the whole page, for some hundred levels. */
import { Lexer, Parser } from 'yaml';

/** The deepest nesting of objects and lists, in any form: brackets, indents, `- - -`, `a: b: c:`. */
export const MAX_DEPTH = 100;

/** A document and a scalar stand on the parser's stack besides the collections. */
const MAX_STACK_DEPTH = MAX_DEPTH + 2;

/**
 * Where a text nests deeper than {@link MAX_DEPTH}, in characters from its beginning; undefined: nowhere. Lexer and parser of
 * the library go through the text once, without recursion, and not further than there.
 */
export function tooDeepAt(text: string): number | undefined {
  if (!mayBeTooDeep(text)) return undefined;
  const parser = new Parser();
  let at = 0;
  for (const lexeme of new Lexer().lex(text)) {
    at = parser.offset;
    // Only what is open is wanted of the tokens that come.
    for (const _token of parser.next(lexeme));
    if (parser.stack.length > MAX_STACK_DEPTH) return Math.min(at, text.length);
  }
  return undefined;
}

/** False says that it is not, at a tenth of the cost: each level takes a bracket, or something of a line before its value. */
function mayBeTooDeep(text: string): boolean {
  const brackets = text.match(/[[{]/g)?.length ?? 0;
  // A list may stand as far left as the key that it belongs to.
  const levels = (line: string): number => 2 * ((line.match(/[\s:?-]/g)?.length ?? 0) + 1);
  return brackets > MAX_DEPTH || text.split(/[\r\n]/).some((line) => brackets + levels(line) > MAX_DEPTH);
}
