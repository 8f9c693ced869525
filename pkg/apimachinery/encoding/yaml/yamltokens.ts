import type { CST } from 'yaml';
import { tooManyValues } from '../../errors.js';
import { MAX_DEPTH, TOO_DEEP } from '../depth.js';
import { DecodeError } from '../json.js';
import { MAX_BODY_VALUES } from '../valuecount.js';
import { yamlPackage } from './yamlpackage.js';

/** The parser's stack also has a document and a scalar. */
const MAX_STACK_DEPTH = MAX_DEPTH + 2;
/** Keys are scalars too. */
const MAX_SCALARS = 2 * MAX_BODY_VALUES;
/** The lexer's mark before each plain or block scalar. */
const SCALAR = '\x1f';

/**
 * Parses a stream into the library's tokens. The library's lexer and parser are iterative and keep open collections
 * in a list; only composing recurses, along these tokens. So any form of nesting deeper than {@link MAX_DEPTH}
 * (brackets, indents, `- - -`, `? ? ?`, `a: b: c:`) ends here. Throws {@link DecodeError} then; StatusError 413 for
 * more scalars than a body may have.
 */
export function* boundedTokens(
  source: string,
  onNewLine?: (offset: number) => void,
): Generator<CST.Token, void> {
  const { Lexer, Parser } = yamlPackage();
  const parser = new Parser(onNewLine);
  onNewLine?.(0);
  let scalars = 0;
  for (const lexeme of new Lexer().lex(source)) {
    if (lexeme === SCALAR && ++scalars > MAX_SCALARS) throw tooManyValues(MAX_BODY_VALUES);
    yield* parser.next(lexeme);
    if (parser.stack.length > MAX_STACK_DEPTH) throw new DecodeError(`yaml: ${TOO_DEEP}`);
  }
  yield* parser.end();
}

/** Checks the depth before a library parses a file itself. Throws like {@link boundedTokens}. */
export function checkYamlDepth(source: string): void {
  const tokens = boundedTokens(source);
  while (tokens.next().done !== true);
}
