/** Names that are separated by commas or spaces. */
export const namesOf = (text: string): string[] => textsBetween(text, /[\s,]+/);

/** Texts that have a line each, without the spaces around them. */
export const linesOf = (text: string): string[] => textsBetween(text, /\s*\n\s*/);

const textsBetween = (text: string, separator: RegExp): string[] => [
  ...new Set(text.trim().split(separator).filter(Boolean)),
];
