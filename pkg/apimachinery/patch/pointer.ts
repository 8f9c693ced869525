import type { JsonValue } from '../../../api/resource.js';
import { MAX_DEPTH } from '../encoding/depth.js';

/** The maximum depth of pointers; no document nests deeper. */
const MAX_PARTS = MAX_DEPTH + 2;

export type Container = JsonValue[] | { [member: string]: JsonValue };

/** The target of an operation: a container and the last token of the path. */
export interface Target {
  readonly container: Container;
  readonly key: string;
}

export function isContainer(value: JsonValue | undefined): value is Container {
  return typeof value === 'object' && value !== null;
}

/**
 * Follows a JSON Pointer like `gopkg.in/evanphx/json-patch.v4`: the text before the first `/` is ignored, negative
 * indices count from the end. Undefined if a container is missing, and for the whole document (`""`).
 */
export function locate(document: Container, path: string): Target | undefined {
  const [, ...tokens] = path.split('/', MAX_PARTS + 1);
  if (tokens.length >= MAX_PARTS) return undefined;
  const key = tokens.pop();
  if (key === undefined) return undefined;
  let container = document;
  for (const token of tokens) {
    const next = read({ container, key: unescape(token) });
    if (!isContainer(next)) return undefined;
    container = next;
  }
  return { container, key: unescape(key) };
}

/** The tokens of a pointer, as {@link locate} follows them. */
export const tokensOf = (path: string): string[] => path.split('/').slice(1).map(unescape);

const unescape = (token: string): string =>
  token.includes('~') ? token.replaceAll('~1', '/').replaceAll('~0', '~') : token;

/** The value at the target; undefined for an absent member and for an invalid index. Only own members exist. */
export function read({ container, key }: Target): JsonValue | undefined {
  if (!Array.isArray(container)) return Object.hasOwn(container, key) ? container[key] : undefined;
  const index = indexOf(key, container.length);
  return index === undefined ? undefined : container[index];
}

/** An index below `size`; negative ones count from the end. Undefined if it is out of range or no integer. */
export function indexOf(key: string, size: number): number | undefined {
  if (!/^[-+]?[0-9]+$/.test(key)) return undefined;
  const number = Number(key);
  const index = number < 0 ? number + size : number;
  return index >= 0 && index < size ? Math.abs(index) : undefined;
}
