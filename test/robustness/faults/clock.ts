/** Wall clocks that jump, one for each server, with libfaketime (the Debian package `faketime`). */
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Fault } from './fault.js';

const LIBRARIES = '/usr/lib';
const LIBRARY = join('faketime', 'libfaketime.so.1');
const MAX_SECONDS = 7_200;

export interface Clock {
  /** The environment of the server that uses the clock. */
  readonly env: Readonly<Record<string, string>>;
  /** Sets the clock to this number of seconds before or after the real time. The server sees it within a second. */
  set(seconds: number): void;
  remove(): void;
}

/** Why the machine has no libfaketime; undefined: it has. */
export const clockHindrance = (): string | undefined =>
  library() === undefined ? 'libfaketime is not installed: run hack/obtain-packages.sh faketime' : undefined;

function library(): string | undefined {
  if (!existsSync(LIBRARIES)) return undefined;
  const folders = ['', ...readdirSync(LIBRARIES)].map((folder) => join(LIBRARIES, folder, LIBRARY));
  return folders.find((path) => existsSync(path));
}

/** A clock that can be set; without the library, it cannot be set. */
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

/** Monotonic clocks are not changed. */
const SETTINGS = { FAKETIME_CACHE_DURATION: '1', FAKETIME_DONT_FAKE_MONOTONIC: '1', NO_FAKE_STAT: '1' };

/** Sets one of the clocks up to two hours behind or ahead, or right again. */
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
