/** Shell commands that do the same as an action of the console. They contain no secret values. */

/** Characters that control a terminal, or that a terminal shows in another order than the shell reads them. */
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
const everyUnseen = new RegExp(UNSEEN, 'gu');

/**
 * Quotes a word for a POSIX shell. If it contains characters that cannot be shown, the result is for bash and zsh
 * (`$'…'`).
 */
const quoted = (word: string): string => {
  if (/^[A-Za-z0-9_./:=@,-]+$/.test(word)) return word;
  if (!UNSEEN.test(word)) return `'${word.replaceAll("'", `'\\''`)}'`;
  return `$'${word.replaceAll(/[\\'!]/g, bytesOf).replaceAll(everyUnseen, bytesOf)}'`;
};

/** Joins words into a command, and quotes each. */
export const command = (...words: readonly string[]): string => words.map(quoted).join(' ');

/** JSON as one word of a command, with every character visible. */
export const jsonWord = (value: object): string =>
  JSON.stringify(value).replaceAll(everyUnseen, (unseen) => `\\u${hex(unseen.charCodeAt(0), 4)}`);

/** Escapes a text as its bytes in UTF-8, which do not depend on the locale. */
const bytesOf = (text: string): string =>
  [...new TextEncoder().encode(text)].map((byte) => `\\x${hex(byte, 2)}`).join('');
const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');
