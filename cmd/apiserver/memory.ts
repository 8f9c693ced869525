/** Keeps memory, with its decrypted secrets, out of files and debuggers. */
import { writeFileSync } from 'node:fs';

/** The parts of memory in a core dump, of this process and its children (core(5), Linux). */
const CORE_FILTER = '/proc/self/coredump_filter';
/** Options of Node that open a debugger, or write the heap to a file. */
const REVEALING = /^--(inspect|heapsnapshot)\b/;

/**
 * Excludes memory from core dumps, and stops SIGUSR1 from opening a debugger, which could read everything.
 */
export function keepMemoryPrivate(): void {
  try {
    writeFileSync(CORE_FILTER, '0');
  } catch {
    // Not Linux: core dumps depend on the system's configuration.
  }
  process.on('SIGUSR1', () => undefined);
}

/** The options of Node that reveal memory nevertheless. */
export function revealingOptions(
  { NODE_OPTIONS = '' }: NodeJS.ProcessEnv = process.env,
  execArgv: readonly string[] = process.execArgv,
): readonly string[] {
  return [...execArgv, ...NODE_OPTIONS.split(/\s+/)].filter((option) => REVEALING.test(option));
}
