export type Coding = 'br' | 'gzip' | 'identity';

/**
 * The best coding of `codings` that a client takes (RFC 9110, 12.5.3); a weight of 0 refuses one, and `*` stands for those
 * that are not named.
 */
export function codingFor(accepted: string, codings: readonly Coding[]): Coding {
  const weights = new Map<string, boolean>();
  for (const one of accepted.toLowerCase().split(',')) {
    const [name = '', ...parameters] = one.split(';').map((part) => part.trim());
    weights.set(name, !parameters.some((parameter) => REFUSED.test(parameter)));
  }
  return codings.find((coding) => weights.get(coding) ?? weights.get('*') ?? false) ?? 'identity';
}

const REFUSED = /^q\s*=\s*0(\.0*)?$/;

/** By header, as clients repeat theirs: at most this many, of at most this length. */
const MAX_KNOWN = 100;
const LONGEST = 200;
const known = new Map<string, boolean>();

/** Whether a client takes gzip, by its Accept-Encoding. */
export function takesGzip(accepted: string | string[] | undefined): boolean {
  if (typeof accepted !== 'string') return false;
  const before = known.get(accepted);
  if (before !== undefined) return before;
  const takes = codingFor(accepted, ['gzip']) === 'gzip';
  if (known.size < MAX_KNOWN && accepted.length <= LONGEST) known.set(accepted, takes);
  return takes;
}
