// Compares the flags that the files cmd/apiserver/options/*flags.ts define with the tables of docs/configuration.md, and with those that the
// chart takes and refuses in server.flags.
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const read = (path) => readFileSync(join(root, path), 'utf8');

/** name -> default, or undefined where there is none */
const defined = new Map(
  readdirSync(join(root, 'cmd/apiserver/options'))
    .filter((name) => name.endsWith('flags.ts'))
    .map((name) => read(`cmd/apiserver/options/${name}`))
    .join('\n')
    .split(/^ {2}\w+: (?:define|defaulted)\(\{$/m)
    .slice(1)
    .map((entry) => [/^ {4}name: '([^']+)'/m.exec(entry)?.[1], /^ {4}fallback: '([^']+)'/m.exec(entry)?.[1]]),
);
/** name -> the cell in the column "default" */
const documented = new Map(
  [...read('docs/configuration.md').matchAll(/^\| `--([^`]+)` \| ([^|]*) \|/gm)].map((row) => [
    row[1],
    row[2].trim(),
  ]),
);

const complaints = [];
for (const [name, fallback] of defined) {
  const cell = documented.get(name);
  if (cell === undefined) complaints.push(`docs/configuration.md does not have --${name}`);
  else if (fallback !== undefined && cell !== `\`${fallback}\``) {
    complaints.push(`docs/configuration.md: the default of --${name} is \`${fallback}\`, not ${cell}`);
  }
}
for (const name of documented.keys()) {
  if (!defined.has(name)) complaints.push(`docs/configuration.md has --${name}, and the server does not`);
}
const { flags } = JSON.parse(read('deploy/helm/values.schema.json')).properties.server.properties;
const takes = new RegExp(flags.items.pattern);
const sets = new RegExp(flags.items.not.pattern);
for (const name of defined.keys())
  if (takes.test(`--${name}`) === sets.test(`--${name}`))
    complaints.push(
      `deploy/helm/values.schema.json must have --${name} either in the pattern of server.flags or in what it refuses`,
    );
for (const [, names] of flags.items.pattern.matchAll(/\(([^)=]*)\)/g))
  for (const name of names.split('|'))
    if (!defined.has(name))
      complaints.push(`deploy/helm/values.schema.json has --${name}, and the server does not`);
if (defined.size === 0) complaints.push('found no flag in cmd/apiserver/options');
for (const complaint of complaints) console.error(`verify-flags: ${complaint}`);
if (complaints.length === 0) console.log(`verify-flags: ${defined.size} flags are documented`);
process.exitCode = complaints.length === 0 ? 0 : 1;
