/**
 * Limits the nesting depth of YAML. The parser recurses: with some hundred levels it takes seconds, or crashes the
 * page.
 */
import { Lexer, Parser } from 'yaml';

/** The deepest nesting of objects and lists, in any form: brackets, indents, `- - -`, `a: b: c:`. */
export const MAX_DEPTH = 100;

/** The parser's stack also has a document and a scalar. */
const MAX_STACK_DEPTH = MAX_DEPTH + 2;

/**
 * The offset, in characters, at which a text nests deeper than {@link MAX_DEPTH}; undefined: nowhere. Lexer and parser
 * of the library read the text once, without recursion, and stop at that offset.
 */
export function tooDeepAt(text: string): number | undefined {
  if (!mayBeTooDeep(text)) return undefined;
  const parser = new Parser();
  let at = 0;
  for (const lexeme of new Lexer().lex(text)) {
    at = parser.offset;
    // Only the stack of the parser is of interest, and not its tokens.
    for (const _token of parser.next(lexeme));
    if (parser.stack.length > MAX_STACK_DEPTH) return Math.min(at, text.length);
  }
  return undefined;
}

/**
 * A cheap check, at a tenth of the cost. False: the text is not too deep, as each level needs a bracket, or a character
 * of a line before its value.
 */
function mayBeTooDeep(text: string): boolean {
  const brackets = text.match(/[[{]/g)?.length ?? 0;
  // A list may have the same indent as the key that it belongs to.
  const levels = (line: string): number => 2 * ((line.match(/[\s:?-]/g)?.length ?? 0) + 1);
  return brackets > MAX_DEPTH || text.split(/[\r\n]/).some((line) => brackets + levels(line) > MAX_DEPTH);
}
