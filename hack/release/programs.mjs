// programs.mjs OUT: the programs of the npm package, laid out as in its dist/, with the console and the documentation
// that lie in dist/, the latter where it was built.
import { cpSync, existsSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { bundle, ROOT } from './bundle.mjs';

const out = resolve(process.argv[2] ?? 'dist/bundle');
rmSync(out, { recursive: true, force: true });
await bundle(out);
cpSync(join(ROOT, 'dist/console'), join(out, 'console'), { recursive: true });
const site = join(ROOT, 'dist/docs.json');
if (existsSync(site)) cpSync(site, join(out, 'docs.json'));
