// Files that flags of the server name: the schemas by which they are parsed, with an example of each.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { FLAG_NAMES, FLAGS } from '../../dist/cmd/apiserver/options/flags/flags.js';
import { POLICY_SCHEMA } from '../../dist/pkg/audit/policyschema.js';
import { LOGIN_CONFIG } from '../../dist/pkg/management/login/configschema.js';
import { WORKLOAD_CONFIG } from '../../dist/pkg/management/login/workload/configschema.js';
import { ENCRYPTION_CONFIGURATION } from '../../dist/pkg/storage/encryption/configurationschema.js';
import { MAX_KEYS } from '../../dist/pkg/storage/encryption/keyfile.js';
import { TRACING_CONFIG } from '../../dist/pkg/tracing/config.js';
import { fieldsOf, typeOf } from './fields.mjs';
import { code, page, plain, table } from './markdown.mjs';

const FOLDER = new URL('configurationfiles/', import.meta.url);
const ANY_KEY = 'Do not use the keys of the example: `head -c 32 /dev/urandom | base64` makes one.';

/** In the order of the page. Without `schema`: `text` says what is in the file. */
const FILES = [
  {
    flag: 'config',
    language: 'yaml',
    text: `Options of the server. Each key is the name of a [flag](server-flags.md) without the leading hyphens; a list is joined by
commas. The environment takes precedence over the file, and flags take precedence over both. An unknown key is an error, which suggests
the key that was meant. Read when the server starts.`,
  },
  {
    flag: 'login-config',
    language: 'yaml',
    schema: LOGIN_CONFIG,
    text: `The provider that people [log in with](../tokens-and-login.md#login). Read when the server starts, with the files that it
names.`,
  },
  {
    flag: 'workload-identity-config',
    language: 'yaml',
    schema: WORKLOAD_CONFIG,
    text: `Who may exchange a token of a pipeline or a Pod for a short-lived access key:
[workload identity](../tokens-and-login.md#workload-identity). Read when the server starts, with the files that it names.`,
  },
  {
    flag: 'tracing-config-file',
    language: 'yaml',
    schema: TRACING_CONFIG,
    text: 'Where [traces](../monitoring.md#traces) of requests are sent. Read when the server starts.',
  },
  {
    flag: 'audit-policy-file',
    language: 'yaml',
    schema: POLICY_SCHEMA,
    text: `What the [audit log](../audit.md) records, in the format of Kubernetes. Objects of secret kinds are never
recorded, whatever the policy says. Read when the server starts.`,
  },
  {
    flag: 'encryption-provider-config',
    language: 'yaml',
    schema: ENCRYPTION_CONFIGURATION,
    text: `How objects are [encrypted in the store](../encryption.md#an-encryptionconfiguration), in the format of Kubernetes. The
provider \`aescbc\` is not supported. A changed file is read within seconds. ${ANY_KEY}`,
  },
  {
    flag: 'encryption-key-file',
    language: 'text',
    text: `The [keys of the store](../encryption.md#the-key-file): one a line, 32 bytes in base64, ${MAX_KEYS} at most. Empty lines and
lines that start with \`#\` are ignored. The server creates the file if it is absent, with mode 0600, and rejects one that other users may
read. A changed file is read within seconds. ${ANY_KEY}`,
  },
  {
    flag: 'token-auth-file',
    language: 'text',
    text: `Static bearer tokens, in the CSV format of Kubernetes: the token, the user, the uid of the user and, in quotes, the groups.
The tokens do not expire: use [access keys](../platform.md#a-pipeline) in production. Read when the server starts.`,
  },
];

const PEM = 'Certificates, PEM.';
const PEM_KEY = 'A private key, PEM.';
/** Formats of the other files. */
const OTHERS = {
  'tls-cert-file': `${PEM} The certificate of the server is the first.`,
  'tls-private-key-file': PEM_KEY,
  'client-ca-file': PEM,
  'etcd-cafile': PEM,
  'etcd-certfile': PEM,
  'etcd-keyfile': PEM_KEY,
  'backup-passphrase-file': 'The passphrase in the first line. Mode 0600.',
  kubeconfig: 'A kubeconfig, as kubectl reads it.',
  'write-kubeconfig': 'Written by the server: a kubeconfig.',
  'audit-log-path': 'Written by the server: an `audit.k8s.io/v1` Event a line, JSON.',
};

/** A row for each field; scopes are explained with the kind that has them. */
function fieldTable(schema, example) {
  const rows = fieldsOf(schema, example)
    .filter(({ path }) => !path.includes('.scope.'))
    .map(({ path, field, required }) => [
      code(path),
      typeOf(field),
      required ? 'required' : defaultOf(field),
      plain(field.description ?? '') +
        (path.endsWith('.scope') ? ' See [API fields](api.md#ownedaccesskey).' : ''),
    ]);
  return table(['field', 'type', 'default', 'meaning'], rows);
}

const defaultOf = ({ default: value }) => (value === undefined || value === '' ? '' : code(String(value)));

function section({ flag, language, schema, text }) {
  const extension = language === 'yaml' ? 'yaml' : flag === 'token-auth-file' ? 'csv' : 'txt';
  const example = readFileSync(new URL(`${flag}.${extension}`, FOLDER), 'utf8');
  return [
    `## --${flag}`,
    text,
    `\`\`\`${language}\n${example}\`\`\``,
    ...(schema === undefined ? [] : [fieldTable(schema, parse(example))]),
  ];
}

function otherFiles() {
  const explained = FILES.map(({ flag }) => flag);
  const flags = FLAG_NAMES.map((name) => FLAGS[name]).filter(({ value }) => value === '<file>');
  return flags
    .filter(({ name }) => !explained.includes(name))
    .map(({ name }) => {
      if (OTHERS[name] === undefined)
        throw new Error(`hack/reference/configurationfiles.mjs lacks --${name}`);
      return [code(`--${name}`), OTHERS[name]];
    });
}

export function configurationFiles() {
  return page(
    'Configuration files',
    `Files that [flags of the server](server-flags.md) name. The server does not start with a file that it cannot read, or that has a
field which is unknown or not valid: the message has the flag, the file and the field, and never a value that may be secret.`,
    ...FILES.flatMap(section),
    '## Other files',
    table(['flag', 'format'], otherFiles()),
    `The kube-apiserver of a connected cluster that accepts the tokens of this server reads an AuthenticationConfiguration, which is in the
format of Kubernetes: [direct access to connected clusters](../tokens-and-login.md#direct-access-to-connected-clusters). Logins of
\`platform\` are in a file that \`platform\` writes itself: [the command line client](../platform.md#log-in).`,
  );
}
