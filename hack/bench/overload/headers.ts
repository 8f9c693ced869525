/** Header blocks of HTTP/2 (RFC 7541), as clients send them: what every request of a connection repeats is sent once. */

/** What does not change from one request of a connection to the next. */
export interface Caller {
  readonly authority: string;
  readonly token: string;
}

const METHODS: Readonly<Record<string, Buffer>> = { GET: Buffer.from([0x82]), POST: Buffer.from([0x83]) };
const HTTPS = Buffer.from([0x87]);
const PATH = 0x04;
/** Those of the table that {@link repeated} fills, the oldest first: :authority, authorization, accept, accept-encoding, user-agent. */
const KNOWN = Buffer.from([0xc2, 0xc1, 0xc0, 0xbf, 0xbe]);
const NEW_NAME_KEPT = 0x40;
const NEW_NAME = 0x00;

const text = (value: string): Buffer => {
  const bytes = Buffer.from(value);
  if (bytes.length < 127) return Buffer.concat([Buffer.from([bytes.length]), bytes]);
  return Buffer.concat([Buffer.from([127, bytes.length - 127]), bytes]);
};
const field = (kind: number, name: string, value: string): Buffer =>
  Buffer.concat([Buffer.from([kind]), text(name), text(value)]);

/** What the first request of a connection says besides its method and path. */
const repeated = ({ authority, token }: Caller): Buffer =>
  Buffer.concat([
    field(NEW_NAME_KEPT, ':authority', authority),
    field(NEW_NAME_KEPT, 'authorization', `Bearer ${token}`),
    field(NEW_NAME_KEPT, 'accept', 'application/json'),
    field(NEW_NAME_KEPT, 'accept-encoding', 'gzip'),
    field(NEW_NAME_KEPT, 'user-agent', 'bench'),
  ]);
const JSON_BODY = field(NEW_NAME, 'content-type', 'application/json');

/** `caller`: of the first request of a connection; later ones refer to it. Paths of at most 250 bytes. */
export function headerBlock(method: string, path: string, hasBody: boolean, caller?: Caller): Buffer {
  const parts = [METHODS[method] as Buffer, HTTPS, Buffer.from([PATH]), text(path)];
  // Those that begin with a colon come first.
  if (caller === undefined) parts.push(KNOWN);
  else parts.push(repeated(caller));
  if (hasBody) parts.push(JSON_BODY);
  return Buffer.concat(parts);
}

const STATUS_OF_INDEX: Readonly<Record<number, number>> = {
  8: 200,
  9: 204,
  10: 206,
  11: 304,
  12: 400,
  13: 404,
  14: 500,
};

/** The status that a header block begins with, of a server that was told to keep no table; 0 where it is another field. */
export function statusOf(block: Buffer): number {
  let at = 0;
  // The size of its table.
  while (((block[at] ?? 0) & 0xe0) === 0x20) at += 1;
  const kind = block[at] ?? 0;
  if (kind >= 0x80) return STATUS_OF_INDEX[kind & 0x7f] ?? 0;
  if ((kind & 0x0f) !== 8) return 0;
  const length = block[at + 1] ?? 0;
  const value = block.subarray(at + 2, at + 2 + (length & 0x7f));
  return length < 0x80 ? Number(value.toString('latin1')) : huffmanDigits(value);
}

/** 0 to 2 have codes of five bits, the other digits of six. */
function huffmanDigits(bytes: Buffer): number {
  let number = 0;
  const bits = bytes.readUIntBE(0, bytes.length);
  let left = bytes.length * 8;
  for (let digits = 0; digits < 3; digits++) {
    const short = (bits >>> (left - 5)) & 0x1f;
    const digit = short < 3 ? short : ((bits >>> (left - 6)) & 0x3f) - 0x19 + 3;
    left -= short < 3 ? 5 : 6;
    number = number * 10 + digit;
  }
  return number;
}
