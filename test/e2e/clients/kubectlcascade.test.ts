/** The real kubectl deletes owners with each propagation policy, and waits for the deletion. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { execute, describeKubectl } from '../../fixtures/program.js';
import { startServer, type ServerFixture } from '../../fixtures/servers/server.js';

describeKubectl('oldest and newest', (path) => {
  let server: ServerFixture;
  beforeAll(async () => {
    server = await startServer({ controllers: 'garbage-collector-controller' });
  });
  afterAll(() => server.remove());

  const run = (args: readonly string[], input = ''): string => {
    const flags = [`--kubeconfig=${server.kubeconfig}`, `--cache-dir=${join(server.directory, 'cache')}`];
    const { code, out, err } = execute(path, [...flags, ...args], {
      input,
      env: { HOME: server.directory },
    });
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${code}: ${err}${out}`);
    return out;
  };
  const uidOf = (name: string): string =>
    run(['get', 'configmap', name, '-o', 'jsonpath={.metadata.uid}{.metadata.ownerReferences}']);

  test.each(['background', 'foreground', 'orphan'])('delete --cascade=%s', (policy) => {
    const [owner, child] = [`owner-${policy}`, `child-${policy}`];
    run(['create', 'configmap', owner]);
    const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: owner, uid: uidOf(owner) };
    const ownerReferences = [{ ...reference, blockOwnerDeletion: true }];
    const metadata = { name: child, namespace: 'default', ownerReferences };
    run(['create', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata }));
    expect(run(['delete', 'configmap', owner, `--cascade=${policy}`, '--timeout=60s'])).toContain(
      `configmap "${owner}" deleted`,
    );
    expect(run(['get', 'configmap', owner, '--ignore-not-found'])).toBe('');
    if (policy === 'orphan') {
      expect(uidOf(child)).not.toContain('owner-');
      return;
    }
    run(['wait', '--for=delete', `configmap/${child}`, '--timeout=60s']);
    expect(run(['get', 'configmap', child, '--ignore-not-found'])).toBe('');
  });
});
