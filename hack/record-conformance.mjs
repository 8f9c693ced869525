// Records what the kube-apiserver in .tools/bin answers to scenarios of test/conformance, into its expected.json:
//   node hack/record-conformance.mjs REGEX      those whose names match; recordings of other scenarios stay as they are
// Only for scenarios of the kinds that kube-apiserver has itself. Needs etcd and kube-apiserver (hack/obtain-tools.sh).
import { execFileSync, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FOLDER = join(ROOT, 'test/conformance');
const EXPECTED = join(FOLDER, 'expected.json');
const [etcdPort, peerPort, port] = [22_379, 22_380, 26_443];
const [etcd, server] = [`http://127.0.0.1:${etcdPort}`, `https://127.0.0.1:${port}`];
const READY_MS = 60_000;

const [names] = process.argv.slice(2);
if (names === undefined) {
  console.error('usage: node hack/record-conformance.mjs REGEX');
  process.exit(2);
}
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

/** Resolves when the server is ready; rejects after READY_MS. */
async function ready() {
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  for (const end = Date.now() + READY_MS; Date.now() < end; await sleep(200)) {
    const answer = await fetch(`${server}/readyz`, { headers: { authorization: 'Bearer admin' } }).catch(
      () => undefined,
    );
    if (answer?.ok) return;
  }
  throw new Error('kube-apiserver is not ready');
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
  await ready();
  const out = join(directory, 'actual.json');
  const run = ['--server', server, '--token', 'admin', '--viewer-token', 'viewer', '--only', names];
  execFileSync(
    process.execPath,
    [join(FOLDER, 'run.mjs'), ...run, '--scenarios', join(FOLDER, 'scenarios'), '--out', out],
    { stdio: 'inherit' },
  );
  const expected = JSON.parse(readFileSync(EXPECTED, 'utf8'));
  Object.assign(expected.scenarios, JSON.parse(readFileSync(out, 'utf8')).scenarios);
  writeFileSync(EXPECTED, textOf(expected));
} finally {
  for (const program of running) program.kill('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
}
