/** Wall clocks that jump, each of one server, by libfaketime (the Debian package `faketime`). */
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Fault } from './fault.js';

const LIBRARIES = '/usr/lib';
const LIBRARY = join('faketime', 'libfaketime.so.1');
const MAX_SECONDS = 7_200;

export interface Clock {
  /** Of a server that goes by it. */
  readonly env: Readonly<Record<string, string>>;
  /** Sets it to so many seconds before or after what it is; the server sees it within a second. */
  set(seconds: number): void;
  remove(): void;
}

/** Why there is none; undefined: there is. */
export const clockHindrance = (): string | undefined =>
  library() === undefined ? 'libfaketime is not installed: run hack/obtain-packages.sh faketime' : undefined;

function library(): string | undefined {
  if (!existsSync(LIBRARIES)) return undefined;
  const folders = ['', ...readdirSync(LIBRARIES)].map((folder) => join(LIBRARIES, folder, LIBRARY));
  return folders.find((path) => existsSync(path));
}

/** One that may be set; where there is no library, one that stays as it is. */
export function fakeClock(): Clock {
  const directory = mkdtempSync(join(tmpdir(), 'robustness-clock-'));
  const file = join(directory, 'offset');
  const set = (seconds: number): void => writeFileSync(file, `${seconds < 0 ? '' : '+'}${seconds}\n`);
  set(0);
  const preload = library();
  return {
    set,
    remove: () => rmSync(directory, { recursive: true, force: true }),
    env: preload === undefined ? {} : { ...SETTINGS, LD_PRELOAD: preload, FAKETIME_TIMESTAMP_FILE: file },
  };
}

/** What counts durations goes on. */
const SETTINGS = { FAKETIME_CACHE_DURATION: '1', FAKETIME_DONT_FAKE_MONOTONIC: '1', NO_FAKE_STAT: '1' };

/** One of the clocks is up to two hours behind or ahead from now on, or right again. */
export const clockFault = (clocks: readonly Clock[]): Fault => ({
  kind: 'clock jump',
  lane: 'clock',
  strike({ random }) {
    const number = Math.floor(random() * clocks.length);
    const seconds = random() < 0.3 ? 0 : Math.round((random() * 2 - 1) * MAX_SECONDS);
    clocks[number]?.set(seconds);
    return Promise.resolve(`${number} to ${seconds} s`);
  },
});
