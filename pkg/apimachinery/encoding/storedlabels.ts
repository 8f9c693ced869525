/** Reads the labels or the uid of an object from its canonical JSON, without parsing the rest. */
import { parseStored } from './parsestored.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
const OPENING_BRACKET = 0x5b;

/**
 * The labels in bytes that `encodeObject` made, with or without resourceVersion; undefined when there are none.
 * `metadataStart`: after the `{` of metadata.
 */
export function storedLabels(
  bytes: Buffer,
  metadataStart: number,
): Readonly<Record<string, string>> | undefined {
  const value = memberStart(bytes, metadataStart, 'labels');
  if (value === undefined || bytes[value] !== OPENING_BRACE) return undefined;
  return parseStored<Record<string, string>>(bytes.toString('utf8', value, endOfMap(bytes, value) + 1));
}

/** The uid in such bytes; `''` when there is none. */
export function storedUid(bytes: Buffer, metadataStart: number): string {
  const value = memberStart(bytes, metadataStart, 'uid');
  if (value === undefined || bytes[value] !== QUOTE) return '';
  return parseStored<string>(bytes.toString('utf8', value, endOfString(bytes, value) + 1));
}

/**
 * The index of the value of a member of metadata. In the canonical order labels are the first that is no string or
 * number, and uid precedes them, so that nothing but those is passed over.
 */
function memberStart(bytes: Buffer, metadataStart: number, name: string): number | undefined {
  let at = metadataStart;
  while (bytes[at] === QUOTE) {
    const nameEnd = endOfString(bytes, at);
    const value = nameEnd + 2;
    if (nameEnd - at - 1 === name.length && bytes.toString('latin1', at + 1, nameEnd) === name) return value;
    if (bytes[value] === OPENING_BRACKET || bytes[value] === OPENING_BRACE) return undefined;
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
