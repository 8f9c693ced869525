/** Tokens of label selectors (`k8s.io/apimachinery/pkg/labels.Lexer`). */

const SYMBOLS = ['!', '(', ')', ',', '=', '==', '!=', '>', '<'] as const;

export type TokenKind = 'end' | 'identifier' | (typeof SYMBOLS)[number] | 'in' | 'notin';

export interface Token {
  readonly kind: TokenKind;
  /** As written; `''` at the end. */
  readonly text: string;
}

const TOKEN = /[ \t\r\n]*(?:(==|!=|[=!(),<>])|([^ \t\r\n=!(),<>\0]+))/y;

/** All tokens, with an `end` last. A NUL ends the text. Takes linear time. */
export function tokens(text: string): Token[] {
  const found: Token[] = [];
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) {
    const [, symbol, word] = match;
    const kind = SYMBOLS.find((each) => each === symbol);
    if (kind !== undefined) found.push({ kind, text: kind });
    else if (word === 'in' || word === 'notin') found.push({ kind: word, text: word });
    else found.push({ kind: 'identifier', text: word ?? '' });
  }
  found.push({ kind: 'end', text: '' });
  return found;
}
