import type { ObjectMeta } from '../../../../api/resource.js';
import { messageOf } from '../../texts/messageof.js';
import { useTexts } from '../../texts/texts.js';

/** The number of failures that are told. */
const TOLD = 10;

interface Item {
  readonly metadata: ObjectMeta;
}

/**
 * Does something with each item, one after the other. Rejects, after all were tried, with a text that names those that
 * failed.
 */
export function useEach<T extends Item>(
  act: (item: T) => Promise<unknown>,
): (items: readonly T[]) => Promise<void> {
  const texts = useTexts();
  return async (items) => {
    const failed: string[] = [];
    for (const item of items)
      await act(item).catch((error: unknown) =>
        failed.push(`${item.metadata.name ?? ''}: ${messageOf(error, texts)}`),
      );
    if (failed.length > 0)
      throw new Error(texts.lists.failed(failed.length, failed.slice(0, TOLD).join(' ')));
  };
}
