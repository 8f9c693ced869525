/** Identifies list items (`structured-merge-diff/v6/typed`, helpers.go). */
import type { JsonValue } from '../../../../api/resource.js';
import { encodeValue } from '../../encoding/canonical.js';
import { quoteGo } from '../../quote.js';
import { valueElement } from '../fieldpath/element.js';
import type { ListType } from './mergeschema.js';

/** An item without an identity. */
export class ItemError extends Error {
  override readonly name = 'ItemError';
}

/** The path element of an item of a set or of a list with keys. Throws {@link ItemError}. */
export function itemElement(list: ListType, item: JsonValue): string {
  return list.relation === 'map' ? keyedElement(list, item) : setElement(item);
}

/** The same; undefined for an item without an identity. */
export function itemElementIfAny(list: ListType, item: JsonValue): string | undefined {
  if (item === null) return undefined;
  try {
    return itemElement(list, item);
  } catch (error) {
    if (error instanceof ItemError) return undefined;
    throw error;
  }
}

function keyedElement(list: ListType, item: JsonValue): string {
  if (item === null) throw new ItemError('associative list with keys may not have a null element');
  if (typeof item !== 'object' || Array.isArray(item)) {
    throw new ItemError('associative list with keys may not have non-map elements');
  }
  let text = '';
  for (const { name, prefix, fallback } of list.keys) {
    // null is a key like any other.
    const value = Object.hasOwn(item, name) ? item[name] : fallback;
    if (value !== undefined) text += `${text === '' ? '' : ','}${prefix}${encodeValue(value)}`;
  }
  if (text !== '') return `k:{${text}}`;
  const names = list.keyNames.map(quoteGo).join(' ');
  throw new ItemError(
    `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
  );
}

function setElement(item: JsonValue): string {
  if (item === null)
    throw new ItemError("associative list without keys has an element that's an explicit null");
  if (Array.isArray(item)) throw new ItemError('not supported: associative list with lists as elements');
  if (typeof item === 'object')
    throw new ItemError("associative list without keys has an element that's a map type");
  return valueElement(item);
}
