import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));

/** The text of a file of `folder`, e.g. `schemas.json`: plain, or gzip-compressed as `schemas.json.gz`. */
export function readVectorText(file: string, folder = FOLDER): string {
  const plain = join(folder, file);
  if (existsSync(plain)) return readFileSync(plain, 'utf8');
  return gunzipSync(readFileSync(`${plain}.gz`)).toString('utf8');
}

/** The lines of `<name>.jsonl`, parsed: one case each. README.md says what their members mean. */
export function readVectors<T>(name: string, folder = FOLDER): T[] {
  const text = readVectorText(`${name}.jsonl`, folder);
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as T);
}
