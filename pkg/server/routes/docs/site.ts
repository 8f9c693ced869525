/** The site of docs/, which `make docs` packs into one file: {@link PackedSite}. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { parseStored } from '../../../apimachinery/encoding/parsestored.js';
import { CONTENT_TYPES, etagOf, type StaticFile } from '../staticfile.js';

/** The output of hack/tools/docs/pack.mjs. */
interface PackedSite {
  /** Sources of Content-Security-Policy for the scripts that are in pages, such as `'sha256-…'`. */
  readonly scripts: readonly string[];
  /** Base64 of each file, compressed by gzip, by its path below `/docs/`. */
  readonly files: Readonly<Record<string, string>>;
}

interface Site {
  readonly scripts: readonly string[];
  /** `path`: below `/docs/`, such as `quickstart.html`. Undefined if the file does not exist. */
  find(path: string): StaticFile | undefined;
}

export interface DocsFiles {
  /** Undefined: the site was not built with this server. It is read when it is first asked for, and once. */
  read(): Promise<Site | undefined>;
}

export function readDocs(file: string): DocsFiles {
  let site: Promise<Site> | undefined;
  return {
    read: async () => {
      if (site === undefined && existsSync(file)) site = readSite(file);
      return site;
    },
  };
}

async function readSite(file: string): Promise<Site> {
  const packed = parseStored<PackedSite>(await readFile(file, 'latin1'));
  const files = new Map<string, StaticFile>();
  for (const [path, content] of Object.entries(packed.files)) {
    const type = CONTENT_TYPES[extname(path)];
    if (type !== undefined) files.set(path, fileOf(Buffer.from(content, 'base64'), type));
  }
  return { scripts: packed.scripts, find: (path) => files.get(path) };
}

const unpack = promisify(gunzip);

/** Browsers take the compressed bytes; others get them as they are unpacked once. */
function fileOf(compressed: Buffer, type: string): StaticFile {
  let plain: Promise<Buffer> | undefined;
  return {
    type,
    etag: etagOf(compressed),
    codings: ['gzip'],
    body: (coding) => (coding === 'gzip' ? Promise.resolve(compressed) : (plain ??= unpack(compressed))),
  };
}
