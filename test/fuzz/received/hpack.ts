/** An encoder of header blocks that uses all that HPACK allows (RFC 7541), by chance. */
import { LENGTHS } from '../../../pkg/server/listener/intake/huffman.js';
import { STATIC_TABLE } from '../../../pkg/server/listener/intake/statictable.js';
import type { Chance } from './chance.js';

export type Field = readonly [name: string, value: string];

/** The bits of each symbol's code; the code is canonical. */
const CODES: readonly string[] = (() => {
  const lengths = [...LENGTHS].map((digit) => Number.parseInt(digit, 36));
  const order = lengths.map((_length, symbol) => symbol);
  order.sort((one, other) => lengths[one]! - lengths[other]! || one - other);
  const codes: string[] = [];
  let code = 0n;
  let last = 0;
  for (const symbol of order) {
    code <<= BigInt(lengths[symbol]! - last);
    last = lengths[symbol]!;
    codes[symbol] = code.toString(2).padStart(last, '0');
    code += 1n;
  }
  return codes;
})();

function huffman(bytes: Buffer): Buffer {
  let bits = '';
  for (const byte of bytes) bits += CODES[byte] ?? '';
  const out = Buffer.alloc(Math.ceil(bits.length / 8));
  for (let at = 0; at < out.length; at += 1)
    out[at] = Number.parseInt(bits.slice(at * 8, at * 8 + 8).padEnd(8, '1'), 2);
  return out;
}

function integer(value: number, prefix: number, first: number): Buffer {
  const most = 2 ** prefix - 1;
  if (value < most) return Buffer.from([first | value]);
  const bytes = [first | most];
  let rest = value - most;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return Buffer.from([...bytes, rest]);
}

const sizeOf = ([name, value]: Field): number => name.length + value.length + 32;

/** Of one connection. Each character of a field is a byte. */
export class Encoder {
  private readonly chance: Chance;
  private limit = 4096;
  /** The newest first. */
  private table: Field[] = [];

  constructor(chance: Chance) {
    this.chance = chance;
  }

  encode(fields: readonly Field[]): Buffer {
    const parts: Buffer[] = [];
    if (this.chance.once(40)) parts.push(this.resize(this.chance.below(4097)));
    for (const field of fields) parts.push(this.field(field));
    return Buffer.concat(parts);
  }

  private resize(limit: number): Buffer {
    this.limit = limit;
    this.evict(limit);
    return integer(limit, 5, 0x20);
  }

  private evict(most: number): void {
    let bytes = this.table.reduce((sum, field) => sum + sizeOf(field), 0);
    for (; bytes > most && this.table.length > 0; this.table.pop()) bytes -= sizeOf(this.table.at(-1)!);
  }

  private field(field: Field): Buffer {
    const all = STATIC_TABLE.concat(this.table);
    const whole = all.findIndex(([name, value]) => name === field[0] && value === field[1]);
    if (whole >= 0 && !this.chance.once(5)) return integer(whole + 1, 7, 0x80);
    const named = this.chance.once(4) ? -1 : all.findLastIndex(([name]) => name === field[0]);
    const [prefix, first] = this.chance.of([[6, 0x40] as const, [4, 0] as const, [4, 0x10] as const]);
    const parts = [integer(named + 1, prefix, first), ...(named < 0 ? [this.string(field[0])] : [])];
    parts.push(this.string(field[1]));
    if (first === 0x40) {
      this.evict(this.limit - sizeOf(field));
      if (sizeOf(field) <= this.limit) this.table.unshift(field);
    }
    return Buffer.concat(parts);
  }

  private string(text: string): Buffer {
    const bytes = Buffer.from(text, 'latin1');
    const coded = text.length < 20_000 && this.chance.once(2) ? huffman(bytes) : undefined;
    if (coded !== undefined) return Buffer.concat([integer(coded.length, 7, 0x80), coded]);
    return Buffer.concat([integer(bytes.length, 7, 0), bytes]);
  }
}
