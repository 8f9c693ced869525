/** Tokens of label selectors (`k8s.io/apimachinery/pkg/labels.Lexer`). */

export type TokenKind =
  'end' | 'identifier' | '!' | '(' | ')' | ',' | '=' | '==' | '!=' | '>' | '<' | 'in' | 'notin';

export interface Token {
  readonly kind: TokenKind;
  /** As written; `''` at the end. */
  readonly text: string;
}

const TOKEN = /[ \t\r\n]*(?:(==|!=|[=!(),<>])|([^ \t\r\n=!(),<>\0]+))/y;

/** All tokens, an `end` last. A NUL ends the text. Linear in its length. */
export function tokens(text: string): Token[] {
  const found: Token[] = [];
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) {
    const [, symbol, word] = match;
    if (symbol !== undefined) found.push({ kind: symbol as TokenKind, text: symbol });
    else if (word === 'in' || word === 'notin') found.push({ kind: word, text: word });
    else found.push({ kind: 'identifier', text: word ?? '' });
  }
  found.push({ kind: 'end', text: '' });
  return found;
}
