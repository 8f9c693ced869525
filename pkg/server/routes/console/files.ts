/** The built files of the console, read once and compressed once. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
};
const PAGE = 'index.html';

export type Coding = 'br' | 'gzip' | 'identity';

export interface ConsoleFile {
  readonly type: string;
  /** Strong, of the content. */
  readonly etag: string;
  /** The bytes in a content coding. */
  body(coding: Coding): Promise<Buffer>;
}

export interface ConsoleFiles {
  /** What every path of the app answers that names no file. */
  page(): ConsoleFile;
  /** `path`: below `/console/`, such as `assets/index-4f2a.js`. Undefined: there is no such file. */
  find(path: string): ConsoleFile | undefined;
}

/**
 * Undefined where the console was not built into `directory`. Only files of known types are served. They are read when the
 * first is asked for, so that a start does not wait for them.
 */
export function readConsole(directory: string): ConsoleFiles | undefined {
  if (!existsSync(join(directory, PAGE))) return undefined;
  let read: ReadonlyMap<string, ConsoleFile> | undefined;
  const find = (path: string): ConsoleFile | undefined => (read ??= readFiles(directory)).get(path);
  return {
    find,
    page() {
      const page = find(PAGE);
      if (page === undefined) throw new Error(`${directory} has no ${PAGE} any more`);
      return page;
    },
  };
}

function readFiles(directory: string): ReadonlyMap<string, ConsoleFile> {
  const files = new Map<string, ConsoleFile>();
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    const type = TYPES[extname(entry.name)];
    if (!entry.isFile() || type === undefined) continue;
    const path = join(entry.parentPath, entry.name);
    files.set(relative(directory, path).split(sep).join('/'), fileOf(readFileSync(path), type));
  }
  return files;
}

const asGzip = promisify(gzip);
const asBrotli = promisify(brotliCompress);
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

function fileOf(content: Buffer, type: string): ConsoleFile {
  const codings: Record<Coding, () => Promise<Buffer>> = {
    br: () => asBrotli(content, BROTLI),
    gzip: () => asGzip(content, { level: 9 }),
    identity: () => Promise.resolve(content),
  };
  const made = new Map<Coding, Promise<Buffer>>();
  return {
    type,
    etag: `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`,
    body(coding) {
      const known = made.get(coding) ?? codings[coding]();
      made.set(coding, known);
      return known;
    },
  };
}

/** The best coding that a client takes (`Accept-Encoding`); a weight of 0 refuses one. */
export function codingFor(accepted: string): Coding {
  const taken = accepted
    .split(',')
    .map((one) => one.trim().toLowerCase().split(';'))
    .filter(([, weight = '']) => !/^\s*q=0(\.0+)?\s*$/.test(weight))
    .map(([name = '']) => name.trim());
  return taken.includes('br') ? 'br' : taken.includes('gzip') ? 'gzip' : 'identity';
}
