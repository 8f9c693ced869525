/** The built files of the console, read once and compressed once. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Coding } from '../../server/responsewriters/acceptencoding.js';
import { CONTENT_TYPES, etagOf, type StaticFile } from '../../server/routes/staticfile.js';

const PAGE = 'index.html';

export interface ConsoleFiles {
  /** The page for all paths of the app that are not files. */
  page(): StaticFile;
  /** `path`: below `/console/`, such as `assets/index-4f2a.js`. Undefined if the file does not exist. */
  find(path: string): StaticFile | undefined;
}

/**
 * Undefined if the console was not built into `directory`. Only files of known types are served. They are read at the
 * first request, so that the start does not wait for them.
 */
export function readConsole(directory: string): ConsoleFiles | undefined {
  if (!existsSync(join(directory, PAGE))) return undefined;
  let read: ReadonlyMap<string, StaticFile> | undefined;
  const find = (path: string): StaticFile | undefined => (read ??= readFiles(directory)).get(path);
  return {
    find,
    page() {
      const page = find(PAGE);
      if (page === undefined) throw new Error(`${directory} has no ${PAGE} any more`);
      return page;
    },
  };
}

function readFiles(directory: string): ReadonlyMap<string, StaticFile> {
  const files = new Map<string, StaticFile>();
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    const type = CONTENT_TYPES[extname(entry.name)];
    if (!entry.isFile() || type === undefined) continue;
    const path = join(entry.parentPath, entry.name);
    files.set(relative(directory, path).split(sep).join('/'), fileOf(readFileSync(path), type));
  }
  return files;
}

const asGzip = promisify(gzip);
const asBrotli = promisify(brotliCompress);
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

function fileOf(content: Buffer, type: string): StaticFile {
  const codings: Record<Coding, () => Promise<Buffer>> = {
    br: () => asBrotli(content, BROTLI),
    gzip: () => asGzip(content, { level: 9 }),
    identity: () => Promise.resolve(content),
  };
  const made = new Map<Coding, Promise<Buffer>>();
  return {
    type,
    etag: etagOf(content),
    codings: ['br', 'gzip'],
    body(coding) {
      const known = made.get(coding) ?? codings[coding]();
      made.set(coding, known);
      return known;
    },
  };
}
