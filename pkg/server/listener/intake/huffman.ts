/** The Huffman code of header strings (RFC 7541, 5.2 and appendix B), decoded by half bytes. */

/**
 * The length of each symbol's code, in base 36; the last is EOS. The code is canonical: shorter codes come first, equally
 * long ones in the order of their symbols.
 */
export const LENGTHS =
  'dnsssssssoussussssssssusssssssss6aacd68baa8b8666555666666678f6cad67777777777777777777777878djde6f565656665776665676' +
  '55677777fbedskmkkmmmnmnnnnnonoomnonnnnlmnmnnomlkmmnnlnmmolmnnllmlnmnnkmmmnmmnqqkjmnmpqqqrrqopjlqrrqrollqqsrrrkoklml' +
  'lnmmppooqnqrqqrrrrrsrrrrrqu';
const EOS = 256;
const ROOT = 0;
/** The bits of a transition: the next state below, then the symbol, then whether there is one. */
const SYMBOL_SHIFT = 9;
const EMITS = 1 << 17;
const STATE = (1 << SYMBOL_SHIFT) - 1;
const INVALID = -1;

/** The children of each inner node: another node, or a symbol as `-1 - symbol`. */
type Tree = [left: number, right: number][];

function codeTree(): Tree {
  const tree: Tree = [[0, 0]];
  const lengths = [...LENGTHS].map((digit) => Number.parseInt(digit, 36));
  const symbols = lengths.map((_length, symbol) => symbol);
  const lengthOf = (symbol: number): number => lengths[symbol] ?? 0;
  symbols.sort((one, other) => lengthOf(one) - lengthOf(other) || one - other);
  let code = 0;
  let last = 0;
  for (const symbol of symbols) {
    const length = lengthOf(symbol);
    code <<= length - last;
    last = length;
    plant(tree, { code, length, symbol });
    code += 1;
  }
  return tree;
}

function plant(
  tree: Tree,
  { code, length, symbol }: { readonly code: number; readonly length: number; readonly symbol: number },
): void {
  let node = ROOT;
  for (let bit = length - 1; bit >= 0; bit -= 1) {
    const side = (code >>> bit) & 1 ? 1 : 0;
    const children = tree[node] ?? [0, 0];
    if (bit === 0) children[side] = -1 - symbol;
    else if (children[side] === 0) children[side] = tree.push([0, 0]) - 1;
    node = children[side];
  }
}

const TREE = codeTree();
const childOf = (node: number, side: 0 | 1): number => TREE[node]?.[side] ?? ROOT;

/** By state and half byte. A half byte ends one symbol at most, as the shortest code has five bits. */
const TRANSITIONS = Int32Array.from({ length: TREE.length * 16 }, (_zero, at) =>
  transition(at >>> 4, at & 15),
);

function transition(state: number, bits: number): number {
  let node = state;
  let emitted = 0;
  for (let bit = 3; bit >= 0; bit -= 1) {
    const next = childOf(node, (bits >>> bit) & 1 ? 1 : 0);
    node = next < 0 ? ROOT : next;
    if (next === -1 - EOS) return INVALID;
    if (next < 0) emitted = EMITS | ((-1 - next) << SYMBOL_SHIFT);
  }
  return node | emitted;
}

/** The states after at most seven bits of padding, all ones. */
const PADDED: ReadonlySet<number> = (() => {
  const states = new Set<number>([ROOT]);
  let node = ROOT;
  for (let bits = 0; bits < 7; bits += 1) {
    node = childOf(node, 1);
    states.add(node);
  }
  return states;
})();

export const MALFORMED = -1;
export const TOO_LONG = -2;

/** Decodes `from[start..end)` into `into`. Returns the number of bytes, {@link MALFORMED} or {@link TOO_LONG}. */
export function decodeHuffman(from: Uint8Array, start: number, end: number, into: Uint8Array): number {
  let state = ROOT;
  let length = 0;
  for (let at = start; at < end; at += 1) {
    const byte = from[at] ?? 0;
    for (let shift = 4; shift >= 0; shift -= 4) {
      const next = TRANSITIONS[(state << 4) | ((byte >>> shift) & 15)] ?? INVALID;
      if (next === INVALID) return MALFORMED;
      if (next & EMITS) {
        if (length === into.length) return TOO_LONG;
        into[length] = (next >>> SYMBOL_SHIFT) & 0xff;
        length += 1;
      }
      state = next & STATE;
    }
  }
  return PADDED.has(state) ? length : MALFORMED;
}
