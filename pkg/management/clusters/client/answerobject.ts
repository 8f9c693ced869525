/** The object in a response, or in an event of a watch. */
import { TooLarge } from '../../../../api/client/body.js';
import { parseJson } from '../../../apimachinery/encoding/depth.js';
import { hasMoreThan } from '../../../apimachinery/encoding/jsonscan.js';
import { membersOf } from '../../../apimachinery/encoding/members.js';

/**
 * The maximum of commas, and of lists or objects, in a response: more than a Secret of 1.5 MiB has in
 * finalizers or managed fields, so no user's Secret can exceed it.
 */
const MAX_COMMAS = 393_216;
const MAX_COLLECTIONS = 131_072;

/**
 * Parses a JSON object; other text counts as an empty one. Throws TooLarge for too many lists, objects or
 * commas, as such a text takes seconds to parse on the main thread. Those in strings do not count.
 */
export function objectIn(text: string): Readonly<Record<string, unknown>> {
  if (hasMoreThan(text, MAX_COMMAS, [',']) || hasMoreThan(text, MAX_COLLECTIONS, ['[', '{']))
    throw new TooLarge('the answer is too large');
  try {
    return membersOf(parseJson(text));
  } catch {
    return {};
  }
}
