/** `1 secret`, `2 secrets`: for languages that have one form for one and another for all other counts. */
export const counted = (count: number, one: string, many: string): string =>
  `${count} ${count === 1 ? one : many}`;
