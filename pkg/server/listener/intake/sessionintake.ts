/**
 * What a client sends over HTTP/2, on its way to nghttp2. That drops fields with bytes that they must not have, and goes
 * on with the rest of the request; and it ends the whole connection for one long name or value. So each header block is
 * decoded here too: requests that would lose a field are marked by one, and refused. Nothing is kept beside the block, since
 * nghttp2 may hold it back for as long as the client reads nothing.
 */
import { constants } from 'node:http2';
import {
  blockIn,
  CONTINUATION,
  endsHeaders,
  endsStream,
  HEAD_BYTES,
  HEADERS,
  headersFrames,
  LARGEST_PAYLOAD,
  PRIORITY,
  PUSH_PROMISE,
  readHead,
  type FrameHead,
} from './frames.js';
import { HeaderDecoder, UndecodableBlock, type DecodedList, type FieldSink } from './headerdecoder.js';
import { encodeField, placeholder, refusalField, RESETTING_FIELD } from './headerencoder.js';

export interface IntakeEnds {
  /** Passes bytes on to nghttp2. */
  readonly pass: (bytes: Buffer) => void;
  /** Ends the connection. Nothing more is passed on. */
  readonly fail: (code: number) => void;
}

/** The largest list of headers that is taken, in bytes as `SETTINGS_MAX_HEADER_LIST_SIZE` counts them. */
export const HEADER_LIST_BYTES = 64 * 1024;
/** The most fields that are taken. */
export const HEADER_FIELDS = 2000;
/** Of one header block, as it is sent: larger ones end the connection. */
const BLOCK_BYTES = 1024 * 1024;
const BLOCK_FRAMES = 256;
/** The largest block that nghttp2 takes of a client that splits it into few frames. */
const PASSED_BLOCK_BYTES = 7 * LARGEST_PAYLOAD;
const PREFACE_BYTES = 24;

/** The first frame of a block, and the parts that have come. */
interface Begun {
  readonly head: FrameHead;
  readonly parts: Buffer[];
  bytes: number;
}

export class SessionIntake {
  private readonly ends: IntakeEnds;
  private readonly decoder = new HeaderDecoder();
  /** The beginning of a frame. */
  private held: Buffer | undefined;
  /** Bytes that are passed on as they come, of a frame without headers. */
  private passing = PREFACE_BYTES;
  private begun: Begun | undefined;
  private lastStream = 0;
  /** Whether the table of nghttp2 is not that of the client any more, so that it gets blocks without table. */
  private encoding = false;
  private failed = false;

  constructor(ends: IntakeEnds) {
    this.ends = ends;
  }

  /** Takes the next bytes; they are not changed, and may be kept. */
  take(chunk: Buffer): void {
    const bytes = this.held === undefined ? chunk : Buffer.concat([this.held, chunk]);
    this.held = undefined;
    /** What is before `from` was dealt with, what is between is passed on as it is. */
    let from = 0;
    let at = 0;
    while (at < bytes.length && !this.failed) {
      if (this.passing > 0) {
        const length = Math.min(this.passing, bytes.length - at);
        this.passing -= length;
        at += length;
        continue;
      }
      const head = bytes.length - at < HEAD_BYTES ? undefined : readHead(bytes, at);
      const wrong = head && this.faultOf(head);
      if (wrong !== undefined) {
        this.pass(bytes, from, at);
        return this.fail(wrong);
      }
      const whole = HEAD_BYTES + (head?.length ?? 0);
      if (head !== undefined && !hasBlock(head)) this.passing = whole;
      else if (head === undefined || bytes.length - at < whole) {
        this.held = Buffer.from(bytes.subarray(at));
        break;
      } else {
        const replaced = this.takeBlock(bytes, at, head);
        if (replaced !== undefined) {
          this.pass(bytes, from, at);
          if (replaced.length > 0) this.ends.pass(replaced);
          from = at + whole;
        }
        at += whole;
      }
    }
    this.pass(bytes, from, at);
  }

  private pass(bytes: Buffer, from: number, to: number): void {
    if (to > from && !this.failed) this.ends.pass(bytes.subarray(from, to));
  }

  private fail(code: number): void {
    if (this.failed) return;
    this.failed = true;
    this.ends.fail(code);
  }

  /** Between the frames of a block no other may come, and clients promise nothing (RFC 9113, 6.10 and 8.4). */
  private faultOf({ type, stream, length }: FrameHead): number | undefined {
    if (length > LARGEST_PAYLOAD) return constants.NGHTTP2_FRAME_SIZE_ERROR;
    // RFC 9113, 6.3. Later releases of nghttp2 take them.
    if (type === PRIORITY && stream === 0) return constants.NGHTTP2_PROTOCOL_ERROR;
    const rest = this.begun?.head.stream;
    const allowed =
      rest === undefined
        ? type !== CONTINUATION && type !== PUSH_PROMISE
        : type === CONTINUATION && stream === rest;
    return allowed ? undefined : constants.NGHTTP2_PROTOCOL_ERROR;
  }

  /** Undefined: the frame is passed on as it is; else what is passed on in its place. */
  private takeBlock(bytes: Buffer, at: number, head: FrameHead): Buffer | undefined {
    const begun = this.begun;
    const [start, end] = (begun === undefined ? blockIn(bytes, at, head) : restIn(at, head)) ?? [0, -1];
    if (end < start) return this.undecodable(constants.NGHTTP2_PROTOCOL_ERROR);
    if (begun === undefined && endsHeaders(head)) return this.finish(head, bytes.subarray(start, end), true);
    const block = (this.begun ??= { head, parts: [], bytes: 0 });
    block.parts.push(Buffer.from(bytes.subarray(start, end)));
    block.bytes += end - start;
    if (block.bytes > BLOCK_BYTES || block.parts.length > BLOCK_FRAMES)
      return this.undecodable(constants.NGHTTP2_ENHANCE_YOUR_CALM);
    if (!endsHeaders(head)) return NOTHING;
    this.begun = undefined;
    return this.finish(block.head, Buffer.concat(block.parts), false);
  }

  private finish(head: FrameHead, block: Buffer, oneFrame: boolean): Buffer | undefined {
    const { stream } = head;
    const fields: Buffer[] = [];
    const keep = this.encoding ? keepIn(fields) : undefined;
    let list: DecodedList;
    try {
      list = this.decoder.decode(block, 0, block.length, keep);
    } catch (error) {
      if (!(error instanceof UndecodableBlock)) throw error;
      return this.undecodable(error.code);
    }
    const isTrailer = stream <= this.lastStream;
    this.lastStream = Math.max(this.lastStream, stream);
    const large =
      list.bytes > HEADER_LIST_BYTES || list.fields > HEADER_FIELDS || block.length > PASSED_BLOCK_BYTES;
    if (large) this.encoding = true;
    if (list.sound && !this.encoding && oneFrame) return undefined;
    if (large)
      return headersFrames(
        stream,
        endsStream(head),
        isTrailer ? RESETTING_FIELD : placeholder(list.isHead ? 'HEAD' : 'GET'),
      );
    const passed = [
      ...(this.encoding ? fields : [block]),
      ...(list.sound ? [] : [isTrailer ? RESETTING_FIELD : refusalField('malformed')]),
    ];
    return headersFrames(stream, endsStream(head), Buffer.concat(passed));
  }

  private undecodable(code: number): Buffer {
    this.fail(code);
    return NOTHING;
  }
}

const NOTHING = Buffer.alloc(0);

const hasBlock = ({ type }: FrameHead): boolean => type === HEADERS || type === CONTINUATION;

const restIn = (at: number, { length }: FrameHead): readonly [start: number, end: number] => [
  at + HEAD_BYTES,
  at + HEAD_BYTES + length,
];

/** Keeps no more than one field above the limit: a small block may stand for a huge list. */
function keepIn(fields: Buffer[]): FieldSink {
  let bytes = 0;
  return (name, value) => {
    if (bytes > HEADER_LIST_BYTES) return;
    const field = encodeField(name, value);
    bytes += field.length;
    fields.push(field);
  };
}
