// pack.mjs FOLDER FILE: the site in FOLDER as one file, which the server reads (pkg/server/routes/docs/site.ts).
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { gzipSync } from 'node:zlib';

const [folder, file] = process.argv.slice(2);
const scripts = new Set();
const files = {};
const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name))
  .sort();
for (const path of paths) {
  const content = readFileSync(path);
  files[relative(folder, path).split(sep).join('/')] = gzipSync(content, { level: 9 }).toString('base64');
  if (!path.endsWith('.html')) continue;
  for (const [, attributes, script] of content.toString().matchAll(/<script([^>]*)>([^]*?)<\/script>/g)) {
    if (/\ssrc=/.test(attributes)) continue;
    scripts.add(`'sha256-${createHash('sha256').update(script).digest('base64')}'`);
  }
}
writeFileSync(file, JSON.stringify({ scripts: [...scripts].sort(), files }));
