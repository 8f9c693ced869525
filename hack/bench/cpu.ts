import { readFileSync } from 'node:fs';

/** Linux reports process times in these (`getconf CLK_TCK`): 100 on every platform that Node supports. */
const TICKS_PER_SECOND = 100;

/** utime + stime in seconds, from the text of `/proc/<pid>/stat` (proc(5)): all threads, without children. */
export function cpuSecondsOf(stat: string): number {
  // The second field is the command's name in parentheses, which may hold spaces and parentheses itself.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** VmRSS in bytes, from the text of `/proc/<pid>/status`; 0 when absent. */
export function residentBytesOf(status: string): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}

/** A collection as `node --trace-gc` prints it: of which heap, and what that held before and after, in MiB. */
const COLLECTION = /^\[\d+:(0x[0-9a-f]+)\] .* (\d+\.\d) \(\d+\.\d\) -> (\d+\.\d) \(/gm;

/**
 * What was allocated on the heaps of all threads until their last collections, in bytes, to 0.1 MiB for each, from what
 * `node --trace-gc` printed: what they grew by between collections.
 */
export function allocatedBytesOf(log: string): number {
  const left = new Map<string, number>();
  let allocated = 0;
  for (const [, heap = '', before, after] of log.matchAll(COLLECTION)) {
    allocated += Math.max(0, Number(before) - (left.get(heap) ?? 0));
    left.set(heap, Number(after));
  }
  return Math.round(allocated * 2 ** 20);
}

/** CPU that a running process has used so far, in seconds, to 10 ms. Throws when there is no such process. */
export const cpuSeconds = (pid: number): number => cpuSecondsOf(readFileSync(`/proc/${pid}/stat`, 'utf8'));

/** Resident memory of a running process in bytes. Throws when there is no such process. */
export const residentBytes = (pid: number): number =>
  residentBytesOf(readFileSync(`/proc/${pid}/status`, 'utf8'));
