/** Reads the labels of an object from its canonical JSON, without parsing the rest. */
import { parseStored } from './parsestored.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
const OPENING_BRACKET = 0x5b;

/**
 * The labels in bytes that `encodeObject` made, with or without resourceVersion; undefined when there are none.
 * `metadataStart`: after the `{` of metadata. In the canonical order labels are the first member of metadata that is no
 * string or number, so that nothing but those is passed over.
 */
export function storedLabels(
  bytes: Buffer,
  metadataStart: number,
): Readonly<Record<string, string>> | undefined {
  let at = metadataStart;
  while (bytes[at] === QUOTE) {
    const nameEnd = endOfString(bytes, at);
    const value = nameEnd + 2;
    const first = bytes[value];
    if (first === OPENING_BRACKET) return undefined;
    if (first === OPENING_BRACE) {
      if (bytes.toString('latin1', at + 1, nameEnd) !== 'labels') return undefined;
      return parseStored<Record<string, string>>(bytes.toString('utf8', value, endOfMap(bytes, value) + 1));
    }
    at = endOfScalar(bytes, value);
    if (bytes[at] !== COMMA) return undefined;
    at += 1;
  }
  return undefined;
}

/** The index of the closing quote. */
function endOfString(bytes: Buffer, start: number): number {
  for (let at = start + 1; at < bytes.length; at += 1) {
    if (bytes[at] === QUOTE) return at;
    if (bytes[at] === BACKSLASH) at += 1;
  }
  return bytes.length;
}

/** The index after a string, number or literal. */
function endOfScalar(bytes: Buffer, start: number): number {
  if (bytes[start] === QUOTE) return endOfString(bytes, start) + 1;
  let at = start;
  while (at < bytes.length && bytes[at] !== COMMA && bytes[at] !== CLOSING_BRACE) at += 1;
  return at;
}

/** The index of the closing brace of a map of strings. */
function endOfMap(bytes: Buffer, start: number): number {
  for (let at = start + 1; at < bytes.length; at += 1) {
    if (bytes[at] === CLOSING_BRACE) return at;
    if (bytes[at] === QUOTE) at = endOfString(bytes, at);
  }
  return bytes.length;
}
