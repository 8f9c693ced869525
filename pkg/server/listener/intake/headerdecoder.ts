/** Decodes header blocks (HPACK, RFC 7541) beside nghttp2, to know of fields that it drops. */
import { constants } from 'node:http2';
import { isAuthority, isFieldName, isFieldValue, isPseudo, type Span } from './fieldbytes.js';
import { decodeHuffman, MALFORMED, TOO_LONG } from './huffman.js';
import { STATIC_TABLE } from './statictable.js';

/** The largest dynamic table that the listener allows, in bytes: the default, which it does not change. */
const TABLE_BYTES = 4096;
/** What an entry counts besides its name and value, in tables and in lists of headers (RFC 7541, 4.1; RFC 9113, 6.5.2). */
const ENTRY_BYTES = 32;
/** The longest name or value that nghttp2 takes, in bytes (`NGHTTP2_HD_MAX_NV`). */
const LONGEST_STRING = 64 * 1024;
const LARGEST_INTEGER = 2 ** 28;

/** Bytes of literals that were decoded; used until the next one. */
const NAME_BYTES = Buffer.alloc(LONGEST_STRING);
const VALUE_BYTES = Buffer.alloc(LONGEST_STRING);

/** The most fields of a block that are decoded: many small ones take the most time for each byte. */
const MOST_FIELDS = 4_000;

/** A header block that ends the connection. */
export class UndecodableBlock extends Error {
  constructor(
    message: string,
    /** Of RFC 9113, section 7. */
    readonly code: number = constants.NGHTTP2_COMPRESSION_ERROR,
  ) {
    super(message);
  }
}

export interface DecodedList {
  /** As `SETTINGS_MAX_HEADER_LIST_SIZE` counts; Infinity if a name or value is longer than {@link LONGEST_STRING}. */
  readonly bytes: number;
  readonly fields: number;
  /** Whether no name and no value has a byte that nghttp2 drops its field for. */
  readonly sound: boolean;
  readonly isHead: boolean;
}

/** Called with each field of a list; its bytes are valid during the call. */
export type FieldSink = (name: Span, value: Span) => void;

interface Entry {
  readonly name: Span;
  readonly value: Span;
  readonly bytes: number;
  readonly nameSound: boolean;
  readonly sound: boolean;
}

const HOST = Buffer.from('host');
const HUGE: Span = { bytes: HOST, start: 0, end: 0 };

const wholeOf = (bytes: Uint8Array): Span => ({ bytes, start: 0, end: bytes.length });
const EMPTY: Span = { bytes: HOST, start: 0, end: 0 };
const copyOf = ({ bytes, start, end }: Span): Span =>
  start === end ? EMPTY : wholeOf(Uint8Array.prototype.slice.call(bytes, start, end));
const lengthOf = ({ start, end }: Span): number => end - start;

/** nghttp2 resets the stream for invalid pseudo-headers. */
const isSoundName = (name: Span): boolean => isPseudo(name) || isFieldName(name);

function isSoundValue(name: Span, value: Span): boolean {
  if (isPseudo(name)) return true;
  return isFieldValue(value) && (!isHost(name) || isAuthority(value));
}

const isHost = ({ bytes, start, end }: Span): boolean =>
  end - start === HOST.length && HOST.every((byte, at) => bytes[start + at] === byte);

const H = 0x48;
/** Whether it is `:method: HEAD`: of the methods that are served no other has four letters and begins so. */
const isHead = ({ name, value }: Entry): boolean =>
  value.end - value.start === 4 && value.bytes[value.start] === H && isPseudo(name);

const STATIC: readonly Entry[] = STATIC_TABLE.map(([name, value]) => ({
  name: wholeOf(Buffer.from(name)),
  value: wholeOf(Buffer.from(value)),
  bytes: name.length + value.length + ENTRY_BYTES,
  nameSound: true,
  sound: true,
}));

/** The decoder of one connection, with its dynamic table. */
export class HeaderDecoder {
  /** The oldest first. */
  private entries: Entry[] = [];
  private tableBytes = 0;
  private tableLimit = TABLE_BYTES;
  private block: Uint8Array = HOST;
  private at = 0;
  private end = 0;

  /** Decodes a whole block. Throws {@link UndecodableBlock}; the decoder is of no use afterwards. */
  decode(block: Uint8Array, start: number, end: number, sink?: FieldSink): DecodedList {
    this.block = block;
    this.at = start;
    this.end = end;
    const list = { bytes: 0, fields: 0, sound: true, isHead: false };
    while (this.at < this.end) {
      const first = block[this.at] ?? 0;
      if ((first & 0xe0) === 0x20) {
        // Only before the first field (RFC 7541, 4.2).
        if (list.fields > 0) throw new UndecodableBlock('a late size update');
        this.resize(this.integer(0x1f));
        continue;
      }
      const entry = (first & 0x80) !== 0 ? this.known(this.integer(0x7f)) : this.literal(first);
      list.fields += 1;
      if (list.fields > MOST_FIELDS)
        throw new UndecodableBlock('too many fields', constants.NGHTTP2_ENHANCE_YOUR_CALM);
      list.bytes += entry.bytes;
      if (!entry.sound) list.sound = false;
      if (isHead(entry)) list.isHead = true;
      sink?.(entry.name, entry.value);
    }
    return list;
  }

  private literal(first: number): Entry {
    const indexed = (first & 0x40) !== 0;
    const index = this.integer(indexed ? 0x3f : 0x0f);
    const named = index > 0 ? this.known(index) : undefined;
    const name = named?.name ?? this.string(NAME_BYTES);
    const value = this.string(VALUE_BYTES);
    const nameSound = named?.nameSound ?? isSoundName(name);
    const huge = name === HUGE || value === HUGE;
    const bytes = huge ? Infinity : lengthOf(name) + lengthOf(value) + ENTRY_BYTES;
    const sound = nameSound && (huge || isSoundValue(name, value));
    const entry = { name, value, bytes, nameSound, sound };
    if (indexed && this.makeRoom(bytes)) {
      const kept = named === undefined ? copyOf(name) : name;
      this.entries.push({ name: kept, value: copyOf(value), bytes, nameSound, sound });
      this.tableBytes += bytes;
    }
    return entry;
  }

  private known(index: number): Entry {
    const at = index - 1 - STATIC.length;
    const entry = at < 0 ? STATIC[index - 1] : this.entries[this.entries.length - 1 - at];
    if (entry === undefined) throw new UndecodableBlock('an index that no entry has');
    return entry;
  }

  /** Whether an entry of this size fits in the table. */
  private makeRoom(bytes: number): boolean {
    this.evictTo(this.tableLimit - bytes);
    return bytes <= this.tableLimit;
  }

  private resize(limit: number): void {
    if (limit > TABLE_BYTES) throw new UndecodableBlock('a larger table than allowed');
    this.tableLimit = limit;
    this.evictTo(limit);
  }

  private evictTo(bytes: number): void {
    while (this.tableBytes > bytes && this.entries.length > 0)
      this.tableBytes -= this.entries.shift()?.bytes ?? 0;
  }

  /** `mask`: of the prefix. */
  private integer(mask: number): number {
    let value = this.byte() & mask;
    if (value < mask) return value;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.byte();
      value += (byte & 0x7f) * scale;
      if (value > LARGEST_INTEGER || scale > LARGEST_INTEGER) throw new UndecodableBlock('a large integer');
      if (byte < 0x80) return value;
    }
  }

  private byte(): number {
    if (this.at >= this.end) throw new UndecodableBlock('an incomplete block');
    return this.block[this.at++] ?? 0;
  }

  /** {@link HUGE} if it is too long. */
  private string(into: Uint8Array): Span {
    const coded = ((this.block[this.at] ?? 0) & 0x80) !== 0;
    const length = this.integer(0x7f);
    const start = this.at;
    this.at += length;
    if (this.at > this.end) throw new UndecodableBlock('an incomplete string');
    if (length > LONGEST_STRING) return HUGE;
    if (!coded) return { bytes: this.block, start, end: this.at };
    const decoded = decodeHuffman(this.block, start, this.at, into);
    if (decoded === MALFORMED) throw new UndecodableBlock('an invalid Huffman code');
    return decoded === TOO_LONG ? HUGE : { bytes: into, start: 0, end: decoded };
  }
}
