/** The commands that do the same as an action of the console. They hold no values of secrets. */

/** As a POSIX shell reads it as one word. */
export const quoted = (word: string): string =>
  /^[A-Za-z0-9_./:=@,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

/** A command of words. */
export const command = (...words: readonly string[]): string => words.map(quoted).join(' ');
