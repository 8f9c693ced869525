import { existsSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { isDirectory, nameAt, newestIn, removeOld, segmentName, segmentsOf } from './directory.js';

const LEFT = 'management-20260103T030000Z.backup.partial';

test('keeps the newest backups of a directory, and deletes nothing else', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'backups-'));
  const times = [5, 1, 3, 2, 4].map((day) => new Date(`2026-01-0${day}T03:00:00Z`));
  for (const name of [...times.map(nameAt), 'mine.backup', 'management-x.backup', LEFT])
    writeFileSync(join(directory, name), '');
  expect(await newestIn(directory)).toBe(Date.parse('2026-01-05T03:00:00Z'));
  expect(await removeOld(directory, 2)).toBe(4);
  expect(readdirSync(directory).sort()).toEqual([
    'management-20260104T030000Z.backup',
    'management-20260105T030000Z.backup',
    'management-x.backup',
    'mine.backup',
  ]);
  expect(await removeOld(directory, 2)).toBe(0);
  expect([await isDirectory(directory), await isDirectory('/none/'), await isDirectory('/none')]).toEqual([
    true,
    true,
    false,
  ]);
  rmSync(directory, { recursive: true });
  expect(await newestIn(directory)).toBeUndefined();
});

test('deletes the segments of a log with its backup', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'backups-'));
  const backups = [1, 2, 3].map((day) => nameAt(new Date(`2026-01-0${day}T03:00:00Z`)));
  for (const backup of backups)
    for (const name of [backup, segmentName(backup, 2), segmentName(backup, 1)])
      writeFileSync(join(directory, name), '');
  const [killed, written] = [3, 4].map((number) =>
    join(directory, `${segmentName(backups[0] ?? '', number)}.partial`),
  ) as [string, string];
  for (const draft of [killed, written]) writeFileSync(draft, '');
  utimesSync(killed, new Date(0), new Date(0));
  expect(await removeOld(directory, 2)).toBe(1);
  expect([existsSync(killed), existsSync(written)]).toEqual([false, true]);
  rmSync(written);
  expect(readdirSync(directory)).toHaveLength(6);
  expect(await segmentsOf(directory, backups[0] ?? '')).toEqual([]);
  expect(await segmentsOf(directory, backups[2] ?? '')).toEqual([
    'management-20260103T030000Z.log.000001',
    'management-20260103T030000Z.log.000002',
  ]);
  rmSync(directory, { recursive: true });
});

test('a backup of a clock that was ahead neither takes the place of a new one nor delays the next', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'backups-'));
  const ahead = nameAt(new Date('2099-01-01T03:00:00Z'));
  const [older, made] = [1, 2].map((day) => nameAt(new Date(`2026-01-0${day}T03:00:00Z`))) as [
    string,
    string,
  ];
  for (const name of [ahead, segmentName(ahead, 1), older, segmentName(older, 1), made])
    writeFileSync(join(directory, name), '');
  expect(await newestIn(directory, Date.parse('2026-01-03T03:00:00Z'))).toBe(
    Date.parse('2026-01-02T03:00:00Z'),
  );
  expect(await removeOld(directory, 2, made)).toBe(1);
  expect(readdirSync(directory).sort()).toEqual([made, ahead, segmentName(ahead, 1)].sort());
  expect(await removeOld(directory, 1, made)).toBe(1);
  expect(readdirSync(directory)).toEqual([made]);
  rmSync(directory, { recursive: true });
});
