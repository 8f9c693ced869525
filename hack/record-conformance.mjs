// Records what the kube-apiserver in .tools/bin answers to scenarios of test/conformance, into its expected.json:
//   node hack/record-conformance.mjs [REGEX]    those whose names match; recordings of other scenarios stay as they are
// Our kinds are custom resources there, by the schemas of test/vectors. Needs etcd, etcdctl and kube-apiserver
// (hack/obtain-tools.sh).
import { execFileSync, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FOLDER = join(ROOT, 'test/conformance');
const EXPECTED = join(FOLDER, 'expected.json');
const [etcdPort, peerPort, port] = [22_379, 22_380, 26_443];
const [etcd, server] = [`http://127.0.0.1:${etcdPort}`, `https://127.0.0.1:${port}`];
const READY_MS = 60_000;
const GROUP = 'management.svc.example';

const [names = ''] = process.argv.slice(2);
const directory = mkdtempSync(join(tmpdir(), 'record-conformance-'));
const file = (name, text) => {
  const path = join(directory, name);
  writeFileSync(path, text, { mode: 0o600 });
  return path;
};

function programs() {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = file('account.key', privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const tokens = file('tokens', 'admin,admin,admin-uid,system:masters\nviewer,viewer,viewer-uid\n');
  const flags = {
    'etcd-servers': etcd,
    'secure-port': port,
    'bind-address': '127.0.0.1',
    'cert-dir': directory,
    'endpoint-reconciler-type': 'none',
    'token-auth-file': tokens,
    'authorization-mode': 'RBAC',
    'service-cluster-ip-range': '10.0.0.0/24',
    'service-account-issuer': 'https://kubernetes.default.svc',
    'service-account-signing-key-file': key,
    'service-account-key-file': file('account.pub', publicKey.export({ type: 'spki', format: 'pem' })),
  };
  const listen = `--listen-client-urls=${etcd} --advertise-client-urls=${etcd} --listen-peer-urls=http://127.0.0.1:${peerPort}`;
  return [
    ['etcd', [...listen.split(' '), `--data-dir=${join(directory, 'etcd')}`]],
    ['kube-apiserver', Object.entries(flags).map(([name, value]) => `--${name}=${value}`)],
  ];
}

process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
const headers = { authorization: 'Bearer admin', 'content-type': 'application/json' };
const ask = (path) => fetch(server + path, { headers }).catch(() => undefined);

/** Resolves when `holds` does of the answer to a GET of `path`; rejects after READY_MS. */
async function until(path, holds) {
  for (const end = Date.now() + READY_MS; Date.now() < end; await sleep(200)) {
    const answer = await ask(path);
    if (answer?.ok && holds(await answer.text())) return;
  }
  throw new Error(`kube-apiserver does not serve ${path}`);
}

/** Serves the kinds of our group that scenarios use. */
async function defineKinds() {
  const vectors = join(ROOT, 'test/vectors/schemas.json.gz');
  const { kinds } = JSON.parse(gunzipSync(readFileSync(vectors)).toString('utf8'));
  const ours = Object.values(kinds).filter(({ group }) => group === GROUP);
  for (const kind of ours) await defineKind(kind);
  for (const path of [`/apis/${GROUP}/v1`, `/openapi/v3/apis/${GROUP}/v1`, '/openapi/v2'])
    await until(path, (text) => ours.every(({ kind }) => text.includes(kind)));
}

async function defineKind({ kind, namespaced, schema }) {
  const { metadata: _, ...properties } = schema.properties;
  const singular = kind.toLowerCase();
  const version = { name: 'v1', served: true, storage: true, subresources: { status: {} } };
  const definition = {
    metadata: { name: `${singular}s.${GROUP}` },
    spec: {
      group: GROUP,
      scope: namespaced ? 'Namespaced' : 'Cluster',
      names: { kind, plural: `${singular}s`, singular },
      versions: [{ ...version, schema: { openAPIV3Schema: { type: 'object', properties } } }],
    },
  };
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const answer = await fetch(server + path, { method: 'POST', headers, body: JSON.stringify(definition) });
  if (!answer.ok) throw new Error(await answer.text());
}

/** Forgets the first revisions, which scenarios ask for. */
async function compact() {
  const { metadata } = await (await ask('/api/v1/namespaces')).json();
  const etcdctl = join(ROOT, '.tools/bin/etcdctl');
  execFileSync(etcdctl, [`--endpoints=${etcd}`, 'compact', metadata.resourceVersion], { stdio: 'inherit' });
}

/** A line for each step, so that a change of one is seen. */
function textOf({ recordedFrom, scenarios }) {
  const texts = Object.entries(scenarios).map(([name, { area, steps }]) => {
    const lines = steps.map((step) => `    ${JSON.stringify(step)}`).join(',\n');
    return `  ${JSON.stringify(name)}: {"area": ${JSON.stringify(area)}, "steps": [\n${lines}\n  ]}`;
  });
  return `{"recordedFrom": ${JSON.stringify(recordedFrom)}, "scenarios": {\n${texts.join(',\n')}\n}}\n`;
}

const running = programs().map(([name, args]) =>
  spawn(join(ROOT, '.tools/bin', name), args, { stdio: 'ignore' }),
);
try {
  await until('/readyz', () => true);
  await defineKinds();
  await compact();
  const out = join(directory, 'actual.json');
  const run = ['--server', server, '--token', 'admin', '--viewer-token', 'viewer', '--only', names || '.'];
  execFileSync(
    process.execPath,
    [join(FOLDER, 'run.mjs'), ...run, '--scenarios', join(FOLDER, 'scenarios'), '--out', out],
    { stdio: 'inherit' },
  );
  const expected = JSON.parse(readFileSync(EXPECTED, 'utf8'));
  Object.assign(expected.scenarios, JSON.parse(readFileSync(out, 'utf8')).scenarios);
  const { gitVersion } = await (await ask('/version')).json();
  expected.recordedFrom = `kube-apiserver ${gitVersion.slice(1)}`;
  writeFileSync(EXPECTED, textOf(expected));
} finally {
  for (const program of running) program.kill('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
}
