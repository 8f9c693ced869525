/** Names that are separated by commas or spaces. */
export const namesOf = (text: string): string[] => [...new Set(text.split(/[\s,]+/).filter(Boolean))];
