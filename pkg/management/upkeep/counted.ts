/** `1 record`, `2 records`. */
export const recordsText = (count: number): string => `${count} record${count === 1 ? '' : 's'}`;
