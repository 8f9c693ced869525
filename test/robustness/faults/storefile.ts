/** Faults of the file of an embedded store while its server is stopped. */
import { closeSync, copyFileSync, openSync, readSync, truncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { ServerFixture } from '../../fixtures/servers/server.js';
import type { Fault } from './fault.js';
import { expectNoErrors, restarted } from './servers.js';

/** A file that is shorter by less than this may be complete, as its last pages may be free. */
const NOTICED_BYTES = 1024 * 1024;
const META_BYTES = 8192;
const PAGE_BYTES = 4096;
/** The offset of the last page number in each of the two meta pages of LMDB. */
const LAST_PAGE_AT = 144;
const REFUSAL =
  /^management-apiserver: the store cannot be opened .*data\.mdb is (cut short|damaged|empty|missing)[^\n]*\n+ended with 1$/;

/**
 * The server is killed, and its file is damaged: the server refuses to start with one line, and starts when the file is
 * restored.
 */
export function storeFileFaults(server: ServerFixture, dataDir: string): Fault[] {
  const file = join(dataDir, 'store', 'data.mdb');
  const aside = join(server.directory, 'whole.mdb');
  const damaged = (kind: string, damage: (random: () => number) => string): Fault => ({
    kind,
    lane: 'servers',
    async strike(strike) {
      await server.kill();
      expectNoErrors(server, strike);
      copyFileSync(file, aside);
      const what = damage(strike.random);
      const refusal = await refusalOf(server);
      if (refusal === undefined) strike.disorder(`a server starts on a file that ${what}`);
      else if (!REFUSAL.test(refusal)) strike.disorder(`a server whose file ${what} says: ${refusal}`);
      await server.kill();
      copyFileSync(aside, file);
      return `${what} ${await restarted(server, strike)}`;
    },
  });
  return [
    damaged('cut file', (random) => {
      const used = usedBytes(file);
      const left = Math.floor(random() * Math.max(META_BYTES, used - NOTICED_BYTES));
      truncateSync(file, left);
      return `has ${left} of ${used} bytes`;
    }),
    damaged('overwrite file', (random) => {
      overwrite(file, 0, Buffer.alloc(META_BYTES, Math.floor(random() * 256)));
      return `begins with something else`;
    }),
  ];
}

export async function refusalOf(server: ServerFixture): Promise<string | undefined> {
  const error = await server.restart().then(
    () => undefined,
    (failure: unknown) => failure as Error,
  );
  return error?.message.replace(/^the server did not start: /, '').trim();
}

/** The size of the file without preallocated space at its end. */
export function usedBytes(file: string): number {
  const metas = Buffer.alloc(META_BYTES);
  const descriptor = openSync(file, 'r');
  readSync(descriptor, metas, 0, META_BYTES, 0);
  closeSync(descriptor);
  const pages = [0, PAGE_BYTES].map((at) => Number(metas.readBigUInt64LE(at + LAST_PAGE_AT)) + 1);
  return Math.max(...pages) * PAGE_BYTES;
}

export function overwrite(file: string, at: number, bytes: Buffer): void {
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, bytes, 0, bytes.length, at);
  closeSync(descriptor);
}
