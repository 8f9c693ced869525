/**
 * Programs of two releases at one embedded store: a command, or a second server, of the one while a server of the other has it. A
 * command works or is refused in one line, a second server is refused, and nothing is lost.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { client } from '../fixtures/clients/client.js';
import { describeWithPreviousRelease, previousRelease } from '../fixtures/servers/previousrelease.js';
import { compiledServer, startServer, type ServerFixture } from '../fixtures/servers/server.js';
import { execute } from '../fixtures/program.js';

const PREVIOUS = previousRelease();
const CURRENT = process.env.DIST ?? join(import.meta.dirname, '../../dist');
const SECRETS = '/api/v1/namespaces/default/secrets';
const ONE_LINE = /^management-apiserver: [^\n]+\n$/;

describeWithPreviousRelease()('at the embedded store', () => {
  describe.each([
    ['of the previous release', PREVIOUS, CURRENT],
    ['of this release', CURRENT, PREVIOUS],
  ])('of a server %s', (_name, dist, otherDist) => {
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

    test('commands of the other work or are refused in one line, servers are refused, and nothing is lost', async () => {
      const before = readFileSync(at('encryption.key'), 'utf8');
      for (const argv of [
        ['encryption', 'status'],
        ['encryption', 'migrate'],
        ['encryption', 'rotate'],
        ['backup', 'create', at('backup')],
      ]) {
        await write(10);
        const { code, said } = other(...argv);
        if (code !== 0) expect([argv, code, said]).toEqual([argv, 1, expect.stringMatching(ONE_LINE)]);
        if (argv[0] === 'backup') expect(existsSync(at('backup'))).toBe(code === 0);
      }
      const { code, said } = other('--secure-port=0');
      expect([code, said]).toEqual([1, expect.stringMatching(ONE_LINE)]);
      expect(said).toContain('is in use by another process; only one may have it open');
      const after = readFileSync(at('encryption.key'), 'utf8').split('\n');
      expect(after).toEqual(expect.arrayContaining(before.split('\n')));
      await write(10);
      await expectAllThere();
      await server.kill();
      await server.restart();
      await expectAllThere();
    });
  });
});
