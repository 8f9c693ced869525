import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { MAGIC } from '../../../storage/backup/format.js';
import { AGE_MAGIC, fileAt, refuseOtherFile } from './backupfile.js';

describe('the output file of a backup', () => {
  let directory: string;
  const at = (name: string): string => join(directory, name);
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'backupfile-'));
    writeFileSync(at('empty'), '');
    writeFileSync(at('backup'), Buffer.concat([MAGIC, Buffer.from('and more')]));
    writeFileSync(at('older'), 'management-apiserver backup 0\n');
    writeFileSync(at('age'), AGE_MAGIC);
    writeFileSync(at('keys'), 'management-apiserver');
    symlinkSync('keys', at('link'));
    symlinkSync('gone', at('dangling'));
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  test.each(['none', 'empty', 'backup', 'older', 'age'])('may be %s', async (name) => {
    await refuseOtherFile(at(name));
  });

  test.each([
    ['keys', 'is there, and is no backup: name another file, or remove it first; nothing was written'],
    ['link', 'is there, and is no backup'],
    ['null', 'is not a regular file: name one, or give - for the standard output'],
    ['.', 'is not a regular file'],
  ])('may not be %s', async (name, why) => {
    const path = name === 'null' ? '/dev/null' : at(name);
    await expect(refuseOtherFile(path)).rejects.toThrow(why);
  });

  test('of a link is what it leads to', async () => {
    expect(await fileAt(at('link'))).toBe(join(realpathSync(directory), 'keys'));
    for (const name of ['none', 'backup']) expect(await fileAt(at(name))).toBe(at(name));
    await expect(fileAt(at('dangling'))).rejects.toThrow(
      'dangling is a link, and what it leads to cannot be used: no such file or directory; nothing was written',
    );
  });
});
