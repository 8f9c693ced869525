/** Faults of the disk of a server: it is full or slow, or its syncs fail. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { codeOf } from '../../../pkg/apimachinery/caught.js';
import type { ServerFixture } from '../../fixtures/servers/server.js';
import { delay, type Fault } from './fault.js';
import { restarted } from './servers.js';

const DISK_BYTES = '256m';
const LEAST_MS = 300;
const MAX_MS = 2_000;

/** A small separate disk that can be filled; or why there is none. */
export type SmallDisk = { readonly directory: string; remove(): void } | { readonly hindrance: string };

export function mountSmallDisk(): SmallDisk {
  const directory = mkdtempSync(join(tmpdir(), 'robustness-disk-'));
  const done = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'tmpfs', directory], {
    encoding: 'utf8',
  });
  if (done.status !== 0) {
    rmSync(directory, { recursive: true });
    return { hindrance: (done.error?.message ?? done.stderr).trim() };
  }
  const remove = (): void => {
    spawnSync('umount', ['--lazy', directory]);
    rmSync(directory, { recursive: true, force: true });
  };
  return { directory, remove };
}

/** The disk is full for a while. */
export const fullDisk = (directory: string): Fault => ({
  kind: 'full disk',
  lane: 'servers',
  async strike({ random }) {
    const file = join(directory, 'filler');
    const bytes = fill(file);
    await delay(LEAST_MS + random() * (MAX_MS - LEAST_MS));
    rmSync(file);
    return `${bytes} bytes`;
  },
});

function fill(file: string): number {
  const descriptor = openSync(file, 'w');
  let written = 0;
  try {
    for (const size of [1024 * 1024, 4096]) {
      const piece = Buffer.alloc(size, 1);
      try {
        for (;;) written += writeSync(descriptor, piece);
      } catch (error) {
        if (codeOf(error) !== 'ENOSPC') throw error;
      }
    }
  } finally {
    closeSync(descriptor);
  }
  return written;
}

const SYNCS = 'fsync,fdatasync,msync';

/** Why system calls cannot be intercepted with strace; undefined: they can. */
export function straceHindrance(): string | undefined {
  const done = spawnSync('strace', ['-e', 'trace=none', 'true'], { encoding: 'utf8' });
  if (done.error !== undefined) return 'strace is not installed';
  return done.status === 0 ? undefined : done.stderr.trim();
}

/** Each sync takes long, or fails; after a failure the server may exit, to be restarted. */
export function syncFaults(server: ServerFixture): Fault[] {
  return [
    {
      kind: 'slow disk',
      lane: 'servers',
      async strike({ random }) {
        const delayMs = Math.round(20 + random() * 200);
        await tamper(server, `${SYNCS}:delay_enter=${delayMs * 1_000}`, LEAST_MS + random() * MAX_MS);
        return `${delayMs} ms a sync`;
      },
    },
    {
      kind: 'failing disk',
      lane: 'servers',
      async strike(strike) {
        await tamper(server, `${SYNCS}:error=EIO`, LEAST_MS);
        await server.kill();
        return restarted(server, strike);
      },
    },
  ];
}

async function tamper(server: ServerFixture, injection: string, ms: number): Promise<void> {
  const args = ['-f', '-qq', '-p', String(server.pid()), '-e', `trace=${SYNCS}`, '-e', `inject=${injection}`];
  const strace = spawn('strace', [...args, '-o', '/dev/null'], { stdio: 'ignore' });
  const ended = once(strace, 'exit');
  await delay(ms);
  strace.kill('SIGINT');
  await ended;
}
