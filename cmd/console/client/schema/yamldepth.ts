/** How deep a text of YAML may nest. The parser recurses and takes seconds, or the whole page, for some hundred levels. */
import { Lexer, Parser } from 'yaml';

/** The deepest nesting of objects and lists, in any form: brackets, indents, `- - -`, `a: b: c:`. */
export const MOST_DEPTH = 100;

/** A document and a scalar stand on the parser's stack besides the collections. */
const MOST_OPEN = MOST_DEPTH + 2;

/**
 * Where a text nests deeper than {@link MOST_DEPTH}, in characters from its beginning; undefined: nowhere. Lexer and parser of
 * the library go through the text once, without recursion, and not further than there.
 */
export function tooDeepAt(text: string): number | undefined {
  const parser = new Parser();
  let at = 0;
  for (const lexeme of new Lexer().lex(text)) {
    at = parser.offset;
    // Only what is open is wanted of the tokens that come.
    for (const _token of parser.next(lexeme));
    if (parser.stack.length > MOST_OPEN) return Math.min(at, text.length);
  }
  return undefined;
}
