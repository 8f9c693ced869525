/** Metrics of the process's memory that `prom-client` does not have. */
import { readFileSync } from 'node:fs';
import type { Registry } from 'prom-client';
import { exposeGauges } from './series.js';

const STATUS = '/proc/self/status';

export function exposeOwnMemory(registry: Registry): void {
  exposeGauges(
    registry,
    'management_apiserver_own_memory_bytes',
    'Resident memory without the pages of mapped files, such as the embedded store, which the system takes back when it needs them.',
    () => {
      const value = ownMemory();
      return value === undefined ? [] : [{ labels: {}, value }];
    },
  );
}

/** Anonymous resident memory in bytes (proc_pid_status(5)); undefined on systems without it. */
function ownMemory(): number | undefined {
  try {
    const kilobytes = /^RssAnon:\s*(\d+) kB$/m.exec(readFileSync(STATUS, 'utf8'))?.[1];
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
  } catch {
    return undefined;
  }
}
