/** Whether the whole file of a store can be mapped: where it cannot, LMDB ends the process without a word. */
import { readFileSync } from 'node:fs';

const GIB = 1024 ** 3;

/** Throws Error where `bytes` cannot be mapped. What a system does not tell is no limit. */
export function checkAddressSpace(bytes: number): void {
  const limit = numberIn('/proc/self/limits', /^Max address space +(\d+) /m);
  if (limit === undefined) return;
  const used = (numberIn('/proc/self/status', /^VmSize:\s+(\d+) kB$/m) ?? 0) * 1024;
  if (limit - used >= bytes) return;
  const needed = Math.ceil((used + bytes) / GIB);
  throw new Error(
    `the address space is limited to ${(limit / GIB).toFixed(1)} GiB, and to map its files takes ${needed} GiB, whatever their size is: raise the limit (ulimit -v unlimited; systemd: LimitAS=infinity)`,
  );
}

function numberIn(file: string, pattern: RegExp): number | undefined {
  try {
    const found = pattern.exec(readFileSync(file, 'utf8'))?.[1];
    return found === undefined ? undefined : Number(found);
  } catch {
    return undefined;
  }
}
