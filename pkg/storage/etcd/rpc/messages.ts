/**
 * The messages of etcd's `rpc.proto` that each write sends and receives: those of `Range` and `Txn`, as far as this engine
 * uses them. The package's own go through objects of all fields, with numbers as text.
 */
import type { ICompare, IRequestOp, ITxnRequest } from 'etcd3';
import type protobuf from 'protobufjs/minimal.js';
import { lazyModule } from '../../../apimachinery/lazymodule.js';
import type { AnswerHeader } from '../storeidentity.js';

const { Reader, Writer } = lazyModule<typeof protobuf>('protobufjs/minimal.js')();
export type Reading = protobuf.Reader;
type Writing = protobuf.Writer;

/** What a transaction answered. */
export interface TxnAnswer {
  readonly header: AnswerHeader;
  readonly succeeded: boolean;
  readonly responses: readonly AnswerPart[];
}

interface AnswerPart {
  readonly response_range?: { readonly kvs: readonly FoundRecord[] };
  readonly response_txn?: Omit<TxnAnswer, 'header'>;
}

/** `mod_revision`: an integer, or its decimal text. */
export interface FoundRecord {
  readonly value: Buffer;
  readonly mod_revision: number | string;
}

/** Wire types of protobuf. */
const VARINT = 0;
const BYTES = 2;
const tag = (field: number, type: number): number => (field << 3) | type;

const RESULTS = { Equal: 0, Greater: 1, Less: 2, NotEqual: 3 } as const;
const TARGETS = { Version: 0, Create: 1, Mod: 2, Value: 3, Lease: 4 } as const;

/** A `RangeRequest` for the number of records under one key, 0 or 1. */
export function countRequest(key: Buffer): Uint8Array {
  const COUNT_ONLY = 9;
  return Writer.create().uint32(tag(1, BYTES)).bytes(key).uint32(tag(COUNT_ONLY, VARINT)).bool(true).finish();
}

/**
 * Writes what this engine uses: comparisons of revisions and values, puts of values, and ranges and deletes of one key at the
 * newest revision. Other members are left out.
 */
export function txnRequest(request: ITxnRequest): Uint8Array {
  return writeTxn(Writer.create(), request).finish();
}

function writeTxn(to: Writing, { compare = [], success = [], failure = [] }: ITxnRequest): Writing {
  for (const one of compare) writeCompare(to.uint32(tag(1, BYTES)).fork(), one).ldelim();
  for (const one of success) writeOperation(to.uint32(tag(2, BYTES)).fork(), one).ldelim();
  for (const one of failure) writeOperation(to.uint32(tag(3, BYTES)).fork(), one).ldelim();
  return to;
}

function writeCompare(to: Writing, one: ICompare): Writing {
  const { result = 'Equal', target = 'Version', key, create_revision, mod_revision, value } = one;
  to.uint32(tag(1, VARINT)).uint32(typeof result === 'number' ? result : RESULTS[result]);
  to.uint32(tag(2, VARINT)).uint32(typeof target === 'number' ? target : TARGETS[target]);
  if (key !== undefined) to.uint32(tag(3, BYTES)).bytes(key);
  if (create_revision !== undefined) to.uint32(tag(5, VARINT)).int64(Number(create_revision));
  if (mod_revision !== undefined) to.uint32(tag(6, VARINT)).int64(Number(mod_revision));
  if (value !== undefined) to.uint32(tag(7, BYTES)).bytes(value);
  return to;
}

function writeOperation(to: Writing, operation: IRequestOp): Writing {
  const { request_range, request_put, request_delete_range, request_txn } = operation;
  if (request_put !== undefined) {
    const { key, value } = request_put;
    to.uint32(tag(2, BYTES)).fork();
    if (key !== undefined) to.uint32(tag(1, BYTES)).bytes(key);
    if (value !== undefined) to.uint32(tag(2, BYTES)).bytes(value);
    return to.ldelim();
  }
  if (request_txn !== undefined) return writeTxn(to.uint32(tag(4, BYTES)).fork(), request_txn).ldelim();
  const [field, { key }] = request_range === undefined ? [3, request_delete_range ?? {}] : [1, request_range];
  to.uint32(tag(field, BYTES)).fork();
  if (key !== undefined) to.uint32(tag(1, BYTES)).bytes(key);
  return to.ldelim();
}

/** The `header` of any answer; undefined: there is none, or it has no revision. Throws for an invalid message. */
export function headerOf(answer: Buffer): AnswerHeader | undefined {
  let header: AnswerHeader | undefined;
  const reader = Reader.create(answer);
  eachField(reader, reader.len, (field) => {
    if (field !== tag(1, BYTES)) return false;
    header = readHeader(reader);
    return true;
  });
  return header;
}

/** Throws for an invalid message. */
export function txnAnswer(message: Buffer): TxnAnswer {
  const reader = Reader.create(message);
  const { header, ...answer } = readTxn(reader, reader.len);
  if (header === undefined) throw new Error('etcd answered without a revision');
  return { header, ...answer };
}

type ReadTxn = Omit<TxnAnswer, 'header'> & { readonly header: AnswerHeader | undefined };

function readTxn(reader: Reading, end: number): ReadTxn {
  let header: AnswerHeader | undefined;
  let succeeded = false;
  const responses: AnswerPart[] = [];
  eachField(reader, end, (field) => {
    if (field === tag(1, BYTES)) header = readHeader(reader);
    else if (field === tag(2, VARINT)) succeeded = reader.bool();
    else if (field === tag(3, BYTES)) responses.push(readPart(reader, endOf(reader)));
    else return false;
    return true;
  });
  return { header, succeeded, responses };
}

function readPart(reader: Reading, end: number): AnswerPart {
  let part: AnswerPart = {};
  eachField(reader, end, (field) => {
    if (field === tag(1, BYTES)) part = { response_range: { kvs: readRange(reader, endOf(reader)) } };
    else if (field === tag(4, BYTES)) part = { response_txn: readTxn(reader, endOf(reader)) };
    else return false;
    return true;
  });
  return part;
}

function readRange(reader: Reading, end: number): FoundRecord[] {
  const kvs: FoundRecord[] = [];
  eachField(reader, end, (field) => {
    if (field !== tag(2, BYTES)) return false;
    kvs.push(readRecord(reader, endOf(reader)));
    return true;
  });
  return kvs;
}

function readRecord(reader: Reading, end: number): FoundRecord {
  let value: Buffer = Buffer.alloc(0);
  let mod_revision = 0;
  eachField(reader, end, (field) => {
    if (field === tag(3, VARINT)) mod_revision = readInteger(reader);
    else if (field === tag(5, BYTES)) value = Buffer.from(reader.bytes());
    else return false;
    return true;
  });
  return { value, mod_revision };
}

function readHeader(reader: Reading): AnswerHeader | undefined {
  let cluster_id = '0';
  let revision = NaN;
  eachField(reader, endOf(reader), (field) => {
    if (field === tag(1, VARINT)) cluster_id = decimal(reader.uint64());
    else if (field === tag(3, VARINT)) revision = readInteger(reader);
    else return false;
    return true;
  });
  return Number.isSafeInteger(revision) ? { cluster_id, revision } : undefined;
}

/** Where the member ends whose length comes next. */
export function endOf(reader: Reading): number {
  const length = reader.uint32();
  const end = reader.pos + length;
  if (end > reader.len) throw new RangeError('a member is longer than its message');
  return end;
}

/** Calls `read` with the tag of each field up to `end`; false: the field is skipped. */
export function eachField(reader: Reading, end: number, read: (field: number) => boolean): void {
  while (reader.pos < end) {
    const field = reader.uint32();
    if (!read(field)) reader.skipType(field & 7);
  }
}

/** A number that is not negative. What is above 2^53 is inexact. */
export function readInteger(reader: Reading): number {
  let value = 0;
  for (let scale = 1; ; scale *= 128) {
    const byte = reader.buf[reader.pos];
    if (byte === undefined || reader.pos >= reader.len) throw new RangeError('a number is cut off');
    reader.pos += 1;
    value += (byte & 127) * scale;
    if (byte < 128) return value;
  }
}

type Whole = ReturnType<protobuf.Reader['uint64']>;

let shown: { readonly of: Whole; readonly text: string } | undefined;

/** Caches the text, as the value is nearly always the same and slow to divide. */
function decimal(value: Whole): string {
  const known = shown?.of;
  const same =
    typeof value === 'object' &&
    typeof known === 'object' &&
    value.low === known.low &&
    value.high === known.high;
  if (!same || shown === undefined) shown = { of: value, text: String(value) };
  return shown.text;
}
