/** `1 secret`, `2 secrets`: for languages with one singular and one plural form. */
export const counted = (count: number, one: string, many: string): string =>
  `${count} ${count === 1 ? one : many}`;
