import { MAX_DEPTH, isDeeperThan, parseJson } from '../apimachinery/encoding/depth.js';

/**
 * The value of an answer or of an event of a watch; undefined for what is no JSON, or nests too deep. Users of the host
 * may write owners of fields that nest as deep as they like: objects lose them then, as nothing else of them can.
 */
export function jsonIn(text: string): unknown {
  try {
    return isDeeperThan(text, MAX_DEPTH) ? withoutOwners(JSON.parse(text)) : (JSON.parse(text) as unknown);
  } catch {
    return undefined;
  }
}

/** Of an object, an event's object, or the items of a list. Throws where what is left is too deep. */
function withoutOwners(value: unknown): unknown {
  const { items, object } = (value ?? {}) as { items?: unknown; object?: unknown };
  for (const one of [value, object, ...(Array.isArray(items) ? (items as unknown[]) : [])]) {
    const { metadata } = (one ?? {}) as { metadata?: { managedFields?: unknown } | null };
    if (typeof metadata === 'object' && metadata !== null) delete metadata.managedFields;
  }
  return parseJson(JSON.stringify(value));
}
