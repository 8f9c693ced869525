const GROUPS = 8;
const OF_NETWORK = 4;

/** The network of 64 bits of an IPv6 address, as one client has all of its addresses. Else the address. */
export function networkOf(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address;
  const [before = '', after] = address.split('::');
  const first = groupsOf(before);
  if (after === undefined) return first.slice(0, OF_NETWORK).join(':');
  const last = groupsOf(after);
  const zeros = Array.from({ length: GROUPS - first.length - last.length }, () => '0');
  return [...first, ...zeros, ...last].slice(0, OF_NETWORK).join(':');
}

const groupsOf = (part: string): string[] => (part === '' ? [] : part.split(':'));
