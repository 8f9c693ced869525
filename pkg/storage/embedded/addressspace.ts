/** Checks that the whole file of a store can be mapped, as LMDB ends the process otherwise. */
import { readFileSync } from 'node:fs';

const GIB = 1024 ** 3;

/** Throws Error if `bytes` cannot be mapped. Limits that the system does not report are ignored. */
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
