import type { KubeObject } from '../../../api/resource.js';

/** Holds a parsed object until it is told to drop it. */
export interface ParsedHolder {
  readonly byteLength: number;
  parsed: KubeObject | undefined;
}

/** Bounds the memory of parsed objects: the oldest are let go first. */
export interface ParsedObjects {
  /** `holder.parsed` has just been set. */
  added(holder: ParsedHolder): void;
  /** The holder is on its way out of the cache: lets its object go and forgets it. */
  removed(holder: ParsedHolder): void;
}

/** @param limit of the sum of `byteLength`; parsed, an object takes a few times as much. */
export function boundParsedObjects(limit: number): ParsedObjects {
  const holders = new Set<ParsedHolder>();
  let bytes = 0;

  function remove(holder: ParsedHolder): void {
    if (!holders.delete(holder)) return;
    holder.parsed = undefined;
    bytes -= holder.byteLength;
  }

  return {
    added(holder) {
      holders.add(holder);
      bytes += holder.byteLength;
      for (const oldest of holders) {
        if (bytes <= limit || oldest === holder) break;
        remove(oldest);
      }
    },
    removed: remove,
  };
}
