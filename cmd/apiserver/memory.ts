/** What is in memory, decrypted secrets among it, is for no file and for no debugger. */
import { writeFileSync } from 'node:fs';

/** Which parts of memory a core dump has, of this process and of those that it starts (core(5), Linux). */
const CORE_FILTER = '/proc/self/coredump_filter';
/** Options of Node that open a debugger, or write what is on the heap. */
const REVEALING = /^--(inspect|heapsnapshot)\b/;

/** A core dump has nothing of memory from now on, and SIGUSR1 opens no debugger, through which all could be read. */
export function keepMemoryPrivate(): void {
  try {
    writeFileSync(CORE_FILTER, '0');
  } catch {
    // Not Linux: whether there are core dumps is for the system to say.
  }
  process.on('SIGUSR1', () => undefined);
}

/** What Node was told, by whoever started it, that reveals memory all the same. */
export function revealingOptions(
  { NODE_OPTIONS = '' }: NodeJS.ProcessEnv = process.env,
  execArgv: readonly string[] = process.execArgv,
): readonly string[] {
  return [...execArgv, ...NODE_OPTIONS.split(/\s+/)].filter((option) => REVEALING.test(option));
}
