/** The commands that do the same as an action of the console. They hold no values of secrets. */

/** Characters that control a terminal, or that it shows in another order than the shell reads them. */
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
const everyUnseen = new RegExp(UNSEEN, 'gu');

/** As a POSIX shell reads it as one word; where characters of it cannot be shown, as bash and zsh do. */
export const quoted = (word: string): string => {
  if (/^[A-Za-z0-9_./:=@,-]+$/.test(word)) return word;
  if (!UNSEEN.test(word)) return `'${word.replaceAll("'", `'\\''`)}'`;
  return `$'${word.replaceAll(/[\\'!]/g, bytesOf).replaceAll(everyUnseen, bytesOf)}'`;
};

/** A command of words. */
export const command = (...words: readonly string[]): string => words.map(quoted).join(' ');

/** JSON as a word of a command, in which all can be seen. */
export const jsonWord = (value: object): string =>
  JSON.stringify(value).replaceAll(everyUnseen, (unseen) => `\\u${hex(unseen.charCodeAt(0), 4)}`);

/** In UTF-8, which no locale changes. */
const bytesOf = (text: string): string =>
  [...new TextEncoder().encode(text)].map((byte) => `\\x${hex(byte, 2)}`).join('');
const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');
