/** What came of acting on many objects. */
export interface Outcome<Item> {
  /** The number of objects that were tried. */
  readonly tried: number;
  readonly failed: readonly { readonly item: Item; readonly error: unknown }[];
}

/**
 * Does something with each item, one after the other, until all were tried or `signal` is aborted. What has begun then is
 * finished. `tell` gets the number of those that were tried.
 */
export async function actEach<Item>(
  items: readonly Item[],
  act: (item: Item) => Promise<unknown>,
  signal: AbortSignal,
  tell: (tried: number) => void,
): Promise<Outcome<Item>> {
  const failed: { item: Item; error: unknown }[] = [];
  let tried = 0;
  tell(tried);
  for (const item of items) {
    if (signal.aborted) break;
    await act(item).catch((error: unknown) => failed.push({ item, error }));
    tried += 1;
    tell(tried);
  }
  return { tried, failed };
}
