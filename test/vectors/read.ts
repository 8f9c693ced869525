import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

/** The text of a gzip-compressed file of this folder, e.g. `schemas.json`. */
export function readVectorText(file: string): string {
  return gunzipSync(readFileSync(new URL(`${file}.gz`, import.meta.url))).toString('utf8');
}

/** The lines of `<name>.jsonl`, parsed: one case each. README.md says what their members mean. */
export function readVectors<T>(name: string): T[] {
  return readVectorText(`${name}.jsonl`)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as T);
}
