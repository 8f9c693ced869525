// Prints deploy/helm/kinds.yaml: what the chart has to know of the kinds below api/management.svc.example.
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import './transpile.mjs';

const folder = join(dirname(fileURLToPath(import.meta.url)), '../dist/api/management.svc.example/v1');
const modules = await Promise.all(
  readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith('.js'))
    .map((name) => import(pathToFileURL(join(folder, name)).href)),
);
/** An empty list would tell an agent that no token was revoked: who may not see them all is refused. */
const UNLISTED = ['directclusterendpointtokenrevocations'];
const listed = modules
  .flatMap((each) => Object.values(each))
  .filter((each) => typeof each === 'object' && each !== null && 'plural' in each)
  .filter(({ verbs }) => verbs === undefined || verbs.includes('list'))
  .map(({ plural }) => plural)
  .filter((plural) => !UNLISTED.includes(plural))
  .sort();
const { AGGREGATED_KINDS, definitionsOf, isManagement } =
  await import('../dist/pkg/management/kindsbymode.js');
const requested = definitionsOf(AGGREGATED_KINDS)
  .filter(isManagement)
  .flatMap(({ plural, subresources }) => [plural, ...subresources.map(({ name }) => `${plural}/${name}`)])
  .sort();
if (listed.length === 0) throw new Error(`${folder} has no kinds`);

console.log('# Written by hack/update-kinds.sh from api/management.svc.example.');
console.log(
  '# Kinds whose lists and watches show each caller what they may get; not those of which agents need all or a refusal.',
);
console.log(['listed:', ...listed.map((plural) => `  - ${plural}`)].join('\n'));
console.log('# All that requests may name, with subresources.');
console.log(['requested:', ...requested.map((name) => `  - ${name}`)].join('\n'));
