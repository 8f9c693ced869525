import { MAX_DEPTH, TOO_DEEP } from '../depth.js';
import { DecodeError } from '../json.js';
import { yamlPackage } from './yamlpackage.js';

/** The parser's stack also has a document and a scalar. */
const MAX_STACK_DEPTH = MAX_DEPTH + 2;

/**
 * Checks the depth before the library parses a file itself. Its lexer and parser are iterative and keep open
 * collections in a list; only composing recurses, along these tokens. So any form of nesting deeper than
 * {@link MAX_DEPTH} (brackets, indents, `- - -`, `? ? ?`, `a: b: c:`) ends here. Throws {@link DecodeError} then.
 */
export function checkYamlDepth(source: string): void {
  const { Lexer, Parser } = yamlPackage();
  const parser = new Parser();
  for (const lexeme of new Lexer().lex(source)) {
    for (const _token of parser.next(lexeme));
    if (parser.stack.length > MAX_STACK_DEPTH) throw new DecodeError(`yaml: ${TOO_DEEP}`);
  }
}
