import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { auditSearcher } from './searcher.js';

const folder = mkdtempSync(join(tmpdir(), 'audit-searcher-'));
afterAll(() => rmSync(folder, { recursive: true }));

const ALL = { after: undefined, before: undefined, limit: 10, from: '' };

test.each([
  [undefined, 'None'],
  ['-', 'StandardOutput'],
] as const)('says that there is no log to search, %s', async (path, log) => {
  const search = auditSearcher({ path, sink: undefined, server: 'here' });
  expect(await search({ name: 'ada' }, ALL)).toEqual({ server: 'here', log, events: [] });
});

test('runs at most two searches of a user and four in total', async () => {
  const release: (() => void)[] = [];
  const sink = { flush: () => new Promise<void>((done) => release.push(done)) };
  const search = auditSearcher({ path: join(folder, 'audit.log'), sink, server: 'here' });
  const of = (name: string): ReturnType<typeof search> => search({ name }, ALL);
  const running = [of('ada'), of('ada'), of('bob')];
  await expect(of('ada')).rejects.toMatchObject({ code: 429, message: /you have 2 searches/ });
  running.push(of('bob'));
  await expect(of('ruth')).rejects.toMatchObject({ code: 429, message: /4 searches/ });
  for (const done of release.splice(0)) done();
  for (const answer of await Promise.all(running)) expect(answer).toMatchObject({ log: 'File', events: [] });
  const after = of('ada');
  for (const done of release) done();
  expect(await after).toMatchObject({ server: 'here' });
});

test('searches even if the log cannot be written', async () => {
  const sink = { flush: () => Promise.reject(new Error('no space')) };
  const search = auditSearcher({ path: join(folder, 'audit.log'), sink, server: 'here' });
  expect(await search({ name: 'ada' }, ALL)).toMatchObject({ events: [] });
});
