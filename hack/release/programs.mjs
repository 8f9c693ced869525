// programs.mjs OUT: the programs of the npm package, laid out as in its dist/, with what lies beside them in dist/: the console, and,
// where they were built, the documentation and the chart of the agent.
import { cpSync, existsSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { bundle, ROOT } from './bundle.mjs';
import { AGENT_CHART } from './manifest.mjs';

const out = resolve(process.argv[2] ?? 'dist/bundle');
rmSync(out, { recursive: true, force: true });
await bundle(out);
cpSync(join(ROOT, 'dist/console'), join(out, 'console'), { recursive: true });
for (const name of ['docs.json', AGENT_CHART]) {
  const file = join(ROOT, 'dist', name);
  if (existsSync(file)) cpSync(file, join(out, name));
}
