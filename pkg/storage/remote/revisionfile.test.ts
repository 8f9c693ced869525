import { expect, test } from '@jest/globals';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openEmbedded } from '../embedded/embedded.js';
import { commitOne, put } from '../testing/conformance/case.js';
import { notingRevisions, openRevisionReader } from './revisionfile.js';

test('has the revision of each answered commit', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'revision-'));
  const file = path.join(directory, 'newest');
  const engine = await openEmbedded({ directory: path.join(directory, 'store') });
  const store = notingRevisions(engine, await engine.currentRevision(), file);
  const reader = openRevisionReader(file);
  expect(reader.newest()).toBe(await engine.currentRevision());
  await Promise.all(
    Array.from({ length: 200 }, async (_, at) => {
      const revision = await commitOne(store, put(`k${at % 9}`, String(at)));
      expect(reader.newest()).toBeGreaterThanOrEqual(revision);
    }),
  );
  expect(reader.newest()).toBe(await engine.currentRevision());
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  await reader.close();
  await store.close();
  await rm(directory, { recursive: true });
});

test('refuses a file that is incomplete or missing', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'revision-'));
  const file = path.join(directory, 'newest');
  expect(() => openRevisionReader(file)).toThrow('ENOENT');
  const bytes = Buffer.alloc(16);
  bytes.writeDoubleBE(7, 0);
  await writeFile(file, bytes);
  const reader = openRevisionReader(file);
  expect(() => reader.newest()).toThrow('cannot be read');
  await reader.close();
  await rm(directory, { recursive: true });
});
