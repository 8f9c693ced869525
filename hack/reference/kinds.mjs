// The kinds of management.svc.example with their fields, from the schemas that OpenAPI and `kubectl explain` have.
import { readdirSync, readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { fieldsOf, typeOf } from './fields.mjs';
import { code, page, plain, table } from './markdown.mjs';

const FOLDER = new URL('../../dist/api/management.svc.example/v1/', import.meta.url);

/** By kind: an object as it is written, and as it is read. */
const EXAMPLES = new Map(
  readFileSync(new URL('examples.yaml', import.meta.url), 'utf8')
    .replace(/^#.*\n/, '')
    .split('---\n')
    .map((text) => {
      const object = parseAllDocuments(text)[0].toJS();
      return [object.kind, { text, object }];
    }),
);

async function definitions() {
  const files = readdirSync(FOLDER, { recursive: true }).filter((name) => name.endsWith('.js'));
  const modules = await Promise.all(files.map((name) => import(new URL(name, FOLDER).href)));
  const all = modules
    .flatMap((each) => Object.values(each))
    .filter((each) => typeof each === 'object' && each !== null && 'plural' in each && 'schema' in each);
  return [...new Set(all)].sort((one, other) => (one.kind < other.kind ? -1 : 1));
}

/** What a field is in the example of its kind, where that is one value. */
const exampleOf = ({ field, value }) =>
  value === undefined || typeof value === 'object' || field.enum !== undefined
    ? ''
    : `Example: ${code(String(value))}.`;

/** A row for each field below a schema. `value`: what the example has there. */
const fieldRows = (schema, value) =>
  fieldsOf(schema, value).map((one) => {
    const { path, field, required } = one;
    const notes = [
      required ? 'Required.' : '',
      field.writeOnly ? 'Write-only.' : '',
      field.readOnly ? 'Read-only.' : '',
      exampleOf(one),
    ];
    return [code(path), typeOf(field), [plain(field.description ?? ''), ...notes].filter(Boolean).join(' ')];
  });

const block = (example) => (example === undefined ? [] : [`\`\`\`yaml\n${example.text}\`\`\``]);

function section(definition) {
  const { kind, plural, shortNames, namespaced, verbs, subresources, description, schema } = definition;
  const path = `/apis/management.svc.example/v1/${namespaced ? 'namespaces/NAMESPACE/' : ''}${plural}`;
  const facts = [
    ['path', code(path)],
    ['short names', shortNames.map(code).join(', ')],
    ['verbs', verbs.join(', ')],
    [
      'subresources',
      subresources.map(({ name, verbs: own }) => `${code(name)} (${own.join(', ')})`).join(', '),
    ],
  ].filter(([, value]) => value !== '');
  const example = EXAMPLES.get(kind);
  if (example === undefined && verbs.includes('create')) throw new Error(`examples.yaml has no ${kind}`);
  const rows = fieldRows(schema, example?.object);
  return [
    `## ${kind}`,
    plain(description),
    facts.map(([name, value]) => `- ${name}: ${value}`).join('\n'),
    ...block(example),
    ...(rows.length === 0 ? [] : [table(['field', 'type', 'meaning'], rows)]),
  ];
}

/** Kinds that are served as a subresource of another one have no path of their own. */
function subresourceSection({ kind, description, schema }, parents) {
  const example = EXAMPLES.get(kind);
  const rows = fieldRows(schema, example?.object);
  return [
    `## ${kind}`,
    `${plain(description)} Subresource of ${parents.map(code).join(', ')}.`,
    ...block(example),
    ...(rows.length === 0 ? [] : [table(['field', 'type', 'meaning'], rows)]),
  ];
}

export async function kinds() {
  const all = await definitions();
  const parentsOf = ({ kind }) =>
    all.flatMap(({ plural, subresources }) =>
      subresources.filter(({ object }) => object?.kind === kind).map(({ name }) => `${plural}/${name}`),
    );
  return page(
    'API fields',
    `The kinds of \`management.svc.example/v1\`. \`kubectl explain KIND --recursive\` shows the same of a running server, and
\`/openapi/v3\` has the schemas. Every object also has \`apiVersion\`, \`kind\` and Kubernetes' \`metadata\`.
A time is one of RFC 3339, such as \`2026-01-31T08:00:00Z\`. [The kinds](../kinds.md) explains how they work together.`,
    ...all.flatMap((one) => {
      const parents = parentsOf(one);
      return parents.length > 0 ? subresourceSection(one, parents) : section(one);
    }),
  );
}
