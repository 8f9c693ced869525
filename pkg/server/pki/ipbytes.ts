import { isIPv4 } from 'node:net';

/** An IP address (`isIP`) as certificates have it: 4 or 16 bytes; a zone is left out. */
export function ipBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  const [bare = ''] = address.split('%');
  const [before = '', after] = bare.split('::');
  const head = groupsOf(before);
  const tail = after === undefined ? [] : groupsOf(after);
  const zeros = Array<number>(16 - head.length - tail.length).fill(0);
  return Buffer.from([...head, ...zeros, ...tail]);
}

function groupsOf(text: string): number[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => {
    if (isIPv4(group)) return group.split('.').map(Number);
    const value = parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}
