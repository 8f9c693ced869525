/** IPv6 addresses with an embedded IPv4 address. */
import { isIPv4 } from 'node:net';

/**
 * The IPv4 address embedded in an IPv6 address: mapped (`::ffff:0:0/96`), compatible (`::/96`), NAT64
 * (`64:ff9b::/96`, RFC 6052), 6to4 (`2002::/16`) or ISATAP (RFC 5214). Undefined: there is none.
 */
export function embeddedIPv4(address: string): string | undefined {
  const groups = groupsOf(address);
  if (groups === undefined) return undefined;
  const [first, second] = groups;
  const zeros = (from: number, to: number): boolean => groups.slice(from, to).every((group) => group === 0);
  if (zeros(0, 5) && (groups[5] === 0xffff || groups[5] === 0)) return dotted(groups[6], groups[7]);
  if (zeros(0, 4) && groups[4] === 0xffff && groups[5] === 0) return dotted(groups[6], groups[7]);
  if (first === 0x64 && second === 0xff9b && zeros(2, 6)) return dotted(groups[6], groups[7]);
  if (first === 0x2002) return dotted(groups[1], groups[2]);
  if (groups[5] === 0x5efe && ((groups[4] ?? 0) & 0xfdff) === 0) return dotted(groups[6], groups[7]);
  return undefined;
}

const dotted = (high = 0, low = 0): string => `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;

/** The eight groups of an IPv6 address, which may end in an IPv4 address or a zone. */
function groupsOf(address: string): number[] | undefined {
  const [text = ''] = address.split('%');
  const [head = '', tail] = text.split('::');
  const left = numbersOf(head);
  const right = tail === undefined ? [] : numbersOf(tail);
  const missing = 8 - left.length - right.length;
  if (missing < 0 || (tail === undefined && missing > 0)) return undefined;
  return [...left, ...Array<number>(missing).fill(0), ...right];
}

function numbersOf(text: string): number[] {
  if (text === '') return [];
  return text.split(':').flatMap((part) => {
    if (!isIPv4(part)) return [Number.parseInt(part, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = part.split('.').map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}
