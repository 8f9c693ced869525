// Converts objects of Loft or vCluster Platform (YAML or JSON on standard input) for this server, to standard output:
//   kubectl get users,teams,projects,sharedsecrets,projectsecrets -A -o yaml | node hack/loft/main.mjs
// What is left out is told on standard error. An argument replaces the prefix of the namespaces of projects here, loft-p-.
import { existsSync } from 'node:fs';
import { parseAllDocuments, stringify } from 'yaml';
import { convert, KINDS } from './convert.mjs';

const [prefix = 'loft-p-'] = process.argv.slice(2);
const API = '../../dist/api/management.svc.example/v1/';
if (!existsSync(new URL(API, import.meta.url))) await import('../transpile.mjs');
const modules = await Promise.all(KINDS.map((kind) => import(`${API}${kind.toLowerCase()}.js`)));
const schemas = new Map(KINDS.map((kind, index) => [kind, modules[index][kind].schema]));

const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const documents = parseAllDocuments(Buffer.concat(chunks).toString('utf8'));
const wrong = documents.flatMap(({ errors }) => errors)[0];
if (wrong !== undefined) {
  // Below its first line the message quotes the input, which may be a secret.
  const [why] = wrong.message.split(/:?\n/);
  console.error(`the input is neither YAML nor JSON: ${why}`);
  process.exit(1);
}
const objects = documents
  .map((document) => document.toJS())
  .flatMap((given) => (Array.isArray(given?.items) ? given.items : [given]))
  .filter((given) => given !== null && given !== undefined);
const converted = objects.map((given) => convert(given, schemas, prefix));
for (const note of converted.flatMap(({ notes }) => notes)) console.error(note);
const order = ({ kind }) => KINDS.indexOf(kind);
const results = converted.flatMap(({ object }) => (object === undefined ? [] : [object]));
results.sort((one, other) => order(one) - order(other));
process.stdout.write(results.map((object) => `---\n${stringify(object)}`).join(''));
