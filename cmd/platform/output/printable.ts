/** Characters that control a terminal: C0 and C1 controls, and signs that turn or break the direction of a text. */
const SIGNS = '\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069';
const NOT_PLAIN = new RegExp(`[\\u0000-\\u0008\\u000b-\\u001f${SIGNS}]`, 'g');
const NOT_ESCAPED = new RegExp(`[${SIGNS}]`, 'g');

/** A text in which nothing but line ends and tabs moves a terminal's cursor, or tells it more: servers may answer anything. */
export const printable = (text: string): string => text.replace(NOT_PLAIN, ' ');

/** Whether {@link printable} changes it. */
export const isPrintable = (text: string): boolean => text.search(NOT_PLAIN) < 0;

/** The same JSON, or YAML in whose quotes alone such signs stand, without what a terminal takes for commands. */
export const escaped = (text: string): string =>
  text.replace(NOT_ESCAPED, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
