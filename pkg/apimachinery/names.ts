import { randomInt } from 'node:crypto';

/** Letters and digits that form no words and are not confused (`k8s.io/apimachinery/pkg/util/rand`). */
const SUFFIX_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;
const NAME_LENGTH = 63;

/** Generates a name: the first 58 bytes of generateName and 5 random characters. The caller retries if it is taken. */
export function generateName(base: string): string {
  const room = NAME_LENGTH - SUFFIX_LENGTH;
  const bytes = Buffer.from(base, 'utf8');
  let name = bytes.length > room ? bytes.subarray(0, room).toString('utf8') : base;
  for (let position = 0; position < SUFFIX_LENGTH; position++) {
    name += SUFFIX_ALPHABET[randomInt(SUFFIX_ALPHABET.length)];
  }
  return name;
}
