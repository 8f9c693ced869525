/** Random changes of known inputs: the fuzzers' source of inputs that are almost right. */
import fc from 'fast-check';

/** One change; `at` is a part of the length in [0, 1), so that it holds for inputs of any length. */
type Mutation =
  | { readonly kind: 'flip'; readonly at: number; readonly mask: number }
  | { readonly kind: 'cut'; readonly at: number; readonly length: number }
  | { readonly kind: 'repeat'; readonly at: number; readonly length: number; readonly times: number }
  | { readonly kind: 'insert'; readonly at: number; readonly bytes: Buffer }
  | { readonly kind: 'splice'; readonly at: number; readonly other: Buffer };

/** Pieces that decoders have rules for. */
const TOKENS = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  '\\',
  '\\u0000',
  '\\ud800',
  'null',
  'true',
  '1e999',
  '-0',
  '9'.repeat(40),

  '\n',
  '\t',
  '- ',
  ': ',
  '&a ',
  '*a',
  '<<: ',
  '!!binary ',
  '|\n',
  '? ',
  '---\n',
  '#',
  "'",
  '%',
  '%2F',
  '%zz',

  '=',
  '!',
  '!=',
  ' in ',
  ' notin ',
  '(',
  ')',
  '>',
  ';q=',
  '*/*',
  'as=Table',
  'g=meta.k8s.io',
  '/',
  '//',
  '..',
  '__proto__',
  'constructor',
  'metadata',
  'namespaces',
  '$patch',
  '\u0000',
  '\ufeff',
  '\u2028',
  '😀',
].map((token) => Buffer.from(token));

const unit = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

/** An input that comes from one of `seeds` by up to eight changes. */
export function mutated(seeds: readonly Buffer[]): fc.Arbitrary<Buffer> {
  const mutation: fc.Arbitrary<Mutation> = fc.oneof(
    fc.record({ kind: fc.constant('flip' as const), at: unit, mask: fc.integer({ min: 1, max: 255 }) }),
    fc.record({ kind: fc.constant('cut' as const), at: unit, length: fc.integer({ min: 1, max: 40 }) }),
    fc.record({
      kind: fc.constant('repeat' as const),
      at: unit,
      length: fc.integer({ min: 1, max: 20 }),
      times: fc.integer({ min: 2, max: 600 }),
    }),
    fc.record({
      kind: fc.constant('insert' as const),
      at: unit,
      bytes: fc.oneof(
        fc.constantFrom(...TOKENS),
        fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes)),
      ),
    }),
    fc.record({ kind: fc.constant('splice' as const), at: unit, other: fc.constantFrom(...seeds) }),
  );
  return fc
    .tuple(fc.constantFrom(...seeds), fc.array(mutation, { maxLength: 8 }))
    .map(([seed, mutations]) => mutations.reduce(mutate, seed));
}

function mutate(input: Buffer, mutation: Mutation): Buffer {
  const at = Math.floor(mutation.at * input.length);
  const head = input.subarray(0, at);
  const tail = input.subarray(at);
  switch (mutation.kind) {
    case 'flip':
      return Buffer.from(input.map((byte, index) => (index === at ? byte ^ mutation.mask : byte)));
    case 'cut':
      return Buffer.concat([head, tail.subarray(mutation.length)]);
    case 'repeat':
      return Buffer.concat([
        head,
        ...Array.from({ length: mutation.times }, () => tail.subarray(0, mutation.length)),
        tail,
      ]);
    case 'insert':
      return Buffer.concat([head, mutation.bytes, tail]);
    case 'splice':
      return Buffer.concat([head, mutation.other.subarray(Math.floor(mutation.at * mutation.other.length))]);
  }
}
