/**
 * Programs of two releases at one embedded store: a command, or a second server, of the one while a server of the other has it. They are
 * refused in one line, and the store of the server stays as it is.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { client } from '../fixtures/clients/client.js';
import { describeWithPreviousRelease, previousRelease } from '../fixtures/servers/previousrelease.js';
import { compiledServer, startServer } from '../fixtures/servers/server.js';
import type { ServerFixture } from '../fixtures/servers/server.js';
import { execute } from '../fixtures/program.js';

const PREVIOUS = previousRelease();
const CURRENT = process.env.DIST ?? join(import.meta.dirname, '../../dist');
const SECRETS = '/api/v1/namespaces/default/secrets';
const ONE_LINE = /^management-apiserver: [^\n]+\n$/;

describeWithPreviousRelease()('at the embedded store', () => {
  describe.each([
    [
      'of the previous release',
      PREVIOUS,
      CURRENT,
      'does not let others read it: it is ending, or of another release',
    ],
    [
      'of this release',
      CURRENT,
      PREVIOUS,
      'this release does not understand: start the release that wrote it',
    ],
  ])('of a server %s', (_name, dist, otherDist, why) => {
    let server: ServerFixture;
    let written = 0;
    const at = (file: string): string => join(server.directory, file);

    beforeAll(async () => {
      server = await startServer({ dist });
    });
    afterAll(() => server?.remove());

    async function write(count: number): Promise<void> {
      for (const end = written + count; written < end; written += 1) {
        const object = { apiVersion: 'v1', kind: 'Secret', metadata: { name: `s-${written}` } };
        const { status } = await client(server).send('POST', SECRETS, object);
        expect(status).toBe(201);
      }
    }
    async function expectAllThere(): Promise<void> {
      const { status, headers, text } = await client(server).send('GET', SECRETS);
      const { items } = JSON.parse(text) as { items: object[] };
      expect([status, headers.warning, items.length]).toEqual([200, undefined, written]);
    }
    function other(...argv: string[]): { readonly code: number | null; readonly said: string } {
      const keys = `--encryption-key-file=${at('encryption.key')}`;
      const all = [compiledServer(otherDist), ...argv, `--data-dir=${at('data')}`, keys];
      const { code, out, err } = execute(process.execPath, all, { env: { NODE_OPTIONS: '' } });
      return { code, said: out + err };
    }

    test('commands and servers of the other are refused in one line, and nothing is lost', async () => {
      const refusals: (readonly [readonly string[], string])[] = [
        [['encryption', 'status'], why],
        [['encryption', 'migrate'], why],
        [['encryption', 'rotate'], why],
        [['backup', 'create', at('backup')], why],
        [['--secure-port=0'], 'is in use by another process; only one may have it open'],
      ];
      const keys = readFileSync(at('encryption.key'), 'utf8');
      for (const [argv, reason] of refusals) {
        await write(10);
        const { code, said } = other(...argv);
        expect([argv, code, said]).toEqual([argv, 1, expect.stringMatching(ONE_LINE)]);
        expect(said).toContain(reason);
      }
      expect(existsSync(at('backup'))).toBe(false);
      expect(readFileSync(at('encryption.key'), 'utf8')).toBe(keys);
      await write(10);
      await expectAllThere();
      await server.kill();
      await server.restart();
      await expectAllThere();
    });
  });
});
