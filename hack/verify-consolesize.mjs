// Builds the console, prints what each page loads (raw and gzip), and fails above the bounds. Bytes; 1 KB is 1,000 bytes.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';

/** The first load: the app with the home page and the list of secrets. */
const FIRST_LOAD = 250_000;
/** What a page loads beyond that, and the one with the editor. */
const PAGE = 60_000;
const EDITOR = 180_000;
const FIRST_PAGES = ['pages/home/home.tsx', 'pages/secrets/secrets.tsx'];

const outDir = mkdtempSync(join(tmpdir(), 'console-size-'));
try {
  await build({
    configFile: 'cmd/console/vite.config.ts',
    logLevel: 'error',
    build: { outDir, manifest: true, emptyOutDir: true },
  });
  process.exitCode = report(JSON.parse(readFileSync(join(outDir, '.vite/manifest.json'), 'utf8'))) ? 0 : 1;
} finally {
  rmSync(outDir, { recursive: true });
}

function report(manifest) {
  const files = (key, found = new Set()) => {
    const chunk = manifest[key];
    if (chunk === undefined) throw new Error(`the build has no ${key}`);
    if (found.has(chunk.file)) return found;
    found.add(chunk.file);
    for (const file of chunk.css ?? []) found.add(file);
    for (const below of chunk.imports ?? []) files(below, found);
    return found;
  };
  const sizeOf = (names) => {
    const bodies = [...names].map((name) => readFileSync(join(outDir, name)));
    const sum = (size) => bodies.reduce((all, body) => all + size(body), 0);
    return { raw: sum((body) => body.length), gzip: sum((body) => gzipSync(body, { level: 9 }).length) };
  };
  const first = new Set(['index.html']);
  for (const key of ['index.html', ...FIRST_PAGES]) for (const file of files(key)) first.add(file);
  const rows = [['first load, with home and secrets', sizeOf(first), FIRST_LOAD]];
  const pages = Object.keys(manifest).filter((key) => manifest[key].isDynamicEntry);
  for (const key of pages.filter((one) => !FIRST_PAGES.includes(one)).sort())
    rows.push([
      key.replace(/^pages\/|\.tsx?$/g, ''),
      sizeOf([...files(key)].filter((file) => !first.has(file))),
      key.startsWith('pages/yaml/') ? EDITOR : PAGE,
    ]);
  const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} KB`;
  console.log('| page, beyond the first load | raw | gzip | bound |\n|---|---|---|---|');
  for (const [name, { raw, gzip }, bound] of rows)
    console.log(`| ${name} | ${kilobytes(raw)} | ${kilobytes(gzip)} | ${bound / 1000} KB |`);
  const over = rows.filter(([, { gzip }, bound]) => gzip > bound);
  for (const [name, { gzip }, bound] of over)
    console.error(`verify-consolesize: ${name} loads ${gzip} bytes, ${bound} are allowed: load less with it`);
  return over.length === 0;
}
