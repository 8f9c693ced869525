import type { CST } from 'yaml';
import { tooManyValues } from '../../errors.js';
import { MAX_DEPTH, TOO_DEEP } from '../depth.js';
import { DecodeError } from '../json.js';
import { MAX_BODY_VALUES } from '../valuecount.js';
import { yamlPackage } from './yamlpackage.js';

/** A document and a scalar stand on the parser's stack besides the collections. */
const MOST_OPEN = MAX_DEPTH + 2;
/** Keys are scalars too. */
const MOST_SCALARS = 2 * MAX_BODY_VALUES;
/** What the lexer puts before each scalar that is not in quotes. */
const SCALAR = '\x1f';

/**
 * The tokens of a stream in the forms that the library composes documents of. Lexer and parser of the library go through
 * the text once and keep what is open in a list of their own; only composing recurses, along these tokens. So what
 * nests deeper than {@link MAX_DEPTH} in any form (brackets, indents, `- - -`, `? ? ?`, `a: b: c:`) ends here. Throws
 * {@link DecodeError} then; StatusError 413 for more scalars than a body may have.
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
    if (lexeme === SCALAR && ++scalars > MOST_SCALARS) throw tooManyValues(MAX_BODY_VALUES);
    yield* parser.next(lexeme);
    if (parser.stack.length > MOST_OPEN) throw new DecodeError(`yaml: ${TOO_DEEP}`);
  }
  yield* parser.end();
}

/** Goes before a library that reads the text of a file by itself. Throws as {@link boundedTokens}. */
export function checkYamlDepth(source: string): void {
  const tokens = boundedTokens(source);
  while (tokens.next().done !== true);
}
