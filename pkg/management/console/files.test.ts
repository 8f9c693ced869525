import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, expect, test } from '@jest/globals';
import { codingFor } from '../../server/responsewriters/acceptencoding.js';
import { readConsole } from './files.js';

const directory = mkdtempSync(join(tmpdir(), 'console-'));
const built = join(directory, 'built');
afterAll(() => rmSync(directory, { recursive: true }));

test('reads and compresses files once, and only those of known types', async () => {
  expect(readConsole(built)).toBeUndefined();
  mkdirSync(join(built, 'assets'), { recursive: true });
  writeFileSync(join(built, 'index.html'), 'page');
  writeFileSync(join(built, 'assets', 'a.js'), 'script');
  writeFileSync(join(built, 'assets', 'a.js.map'), 'map');
  writeFileSync(join(directory, 'secret.js'), 'outside');
  const files = readConsole(built);
  const file = files?.find('assets/a.js');
  if (files === undefined || file === undefined) throw new Error('the files were not read');
  expect(file.type).toBe('text/javascript; charset=utf-8');
  expect(String(await file.body('identity'))).toBe('script');
  expect(String(gunzipSync(await file.body('gzip')))).toBe('script');
  expect(String(brotliDecompressSync(await file.body('br')))).toBe('script');
  expect(await file.body('br')).toBe(await file.body('br'));
  expect(files.page().etag).not.toBe(file.etag);
  const others = ['assets/a.js.map', '../secret.js', 'assets/../../secret.js', '/etc/passwd', '', 'assets'];
  expect(others.filter((path) => files.find(path) !== undefined)).toEqual([]);
});

test.each([
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip', 'gzip'],
  ['br;q=0, gzip;q=0.5', 'gzip'],
  ['GZIP', 'gzip'],
  ['identity', 'identity'],
  ['brx', 'identity'],
  ['', 'identity'],
])('a client with Accept-Encoding %j gets %s', (accepted, coding) => {
  expect(codingFor(accepted, ['br', 'gzip'])).toBe(coding);
});
