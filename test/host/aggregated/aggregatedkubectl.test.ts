/** kubectl with kinds of this server, through the aggregator of a real kube-apiserver. */
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { KubeObject } from '../../../api/resource.js';
import { startAggregated, type AggregatedHost } from '../../fixtures/host/aggregatedhost.js';
import { availability } from '../../fixtures/host/apiservice.js';
import { ours } from '../../fixtures/host/backends.js';
import { HOST_RELEASES, NEWEST_HOST } from '../../fixtures/host/hostcluster.js';
import { kubectl, type Kubectl } from '../../fixtures/clients/kubectl.js';
import { describeWith } from '../../fixtures/program.js';
import { eventually } from '../../fixtures/wait.js';

const KIND = 'sharedsecret.management.svc.example';
const manifest = (name: string, displayName: string): string => `apiVersion: management.svc.example/v1
kind: SharedSecret
metadata:
  name: ${name}
  namespace: team
spec:
  displayName: ${displayName}
  description: A database
  data:
    password: cGFzcw==
`;

describeWith('kubectl');
for (const release of HOST_RELEASES)
  describeWith(release.apiserver)(`kubectl behind Kubernetes ${release.release}`, () => {
    let aggregated: AggregatedHost;
    let admin: Kubectl;

    beforeAll(async () => {
      aggregated = await startAggregated(release, ours());
      const { kubeconfig } = aggregated.host;
      admin = kubectl({ kubeconfig, directory: aggregated.directory });
      admin.run(['create', 'namespace', 'team']);
    });
    afterAll(() => aggregated?.stop());

    const get = (name: string, ...more: string[]): string =>
      admin.run(['get', 'sharedsecret', name, '-n', 'team', ...more]);
    const shown = (name: string, path = 'spec.displayName'): string => get(name, '-o', `jsonpath={.${path}}`);

    test('the APIService is available', async () => {
      expect(await availability(aggregated.host.api, ours())).toMatchObject({
        status: 'True',
        reason: 'Passed',
      });
    });

    test('discovery and explain contain the kinds', async () => {
      const resources = admin.run(['api-resources', '--no-headers']);
      expect(resources).toMatch(/^sharedsecrets +ss +management\.svc\.example\/v1 +true +SharedSecret$/m);
      expect(resources).toMatch(/^configmaps +cm +v1 +true +ConfigMap$/m);
      const ofOurs = admin.run(['api-resources', '--api-group=management.svc.example', '-o', 'name']);
      expect(ofOurs.split('\n')).toEqual(
        expect.arrayContaining(['projects.management.svc.example', 'sharedsecrets.management.svc.example']),
      );
      // The host fetches the documents of a new APIService with a delay.
      await eventually('OpenAPI through the host', async () =>
        (await aggregated.host.api.send('GET', '/openapi/v3')).text.includes('management.svc.example'),
      );
      expect(admin.run(['explain', 'sharedsecret.spec.displayName'])).toMatch(/FIELD: displayName <string>/);
      expect(admin.run(['explain', 'ss.spec', '--recursive'])).toMatch(/data\s+<map\[string\]string>/);
    });

    // What follows is this server's, whichever host forwards it.
    if (release !== NEWEST_HOST) return;

    test('create, once', () => {
      expect(admin.run(['create', '-f', '-'], { input: manifest('db', 'Database') })).toBe(
        `${KIND}/db created\n`,
      );
      expect(admin.attempt(['create', '-f', '-'], { input: manifest('db', 'Database') }).err).toContain(
        '(AlreadyExists)',
      );
    });

    test('get prints tables, YAML and JSONPath', () => {
      expect(get('db').split('\n')[0]).toMatch(/^NAME +DISPLAY NAME +ENTRIES +OWNER +AGE$/);
      const [head = '', row = ''] = get('db', '-o', 'wide').split('\n');
      expect(head).toMatch(/^NAME +.*AGE +DESCRIPTION$/);
      expect(row).toMatch(/^db +Database +1 .* A database$/);
      expect(get('db', '-o', 'yaml')).toContain('\n  displayName: Database\n');
      expect(shown('db', 'spec.data.password')).toBe('cGFzcw==');
      expect(admin.run(['get', 'ss', '-A', '-o', 'name'])).toBe(`${KIND}/db\n`);
    });

    test('apply on the client side', () => {
      const apply = ['apply', '-f', '-'];
      expect(admin.run(apply, { input: manifest('applied', 'One') })).toBe(`${KIND}/applied created\n`);
      expect(admin.run(apply, { input: manifest('applied', 'One') })).toBe(`${KIND}/applied unchanged\n`);
      expect(admin.run(apply, { input: manifest('applied', 'Two') })).toBe(`${KIND}/applied configured\n`);
      expect(shown('applied')).toBe('Two');
    });

    test('apply on the server side owns what it applies', () => {
      const apply = (manager: string, displayName: string, ...more: string[]) =>
        admin.attempt(['apply', '--server-side', `--field-manager=${manager}`, ...more, '-f', '-'], {
          input: manifest('served', displayName),
        });
      expect(apply('alice', 'Hers').out).toBe(`${KIND}/served serverside-applied\n`);
      expect(apply('bob', 'His').err).toContain('conflict with "alice": .spec.displayName');
      expect(apply('bob', 'His', '--force-conflicts').code).toBe(0);
      expect(shown('served')).toBe('His');
    });

    test('watch prints changes as they come', async () => {
      const columns = 'custom-columns=N:.metadata.name,D:.spec.displayName';
      await admin.printed(['get', 'ss', '-n', 'team', '-w', '-o', columns], /db +Watched/, () =>
        admin.run(['patch', 'ss', 'db', '-n', 'team', '-p', '{"spec":{"displayName":"Watched"}}']),
      );
      expect(shown('db')).toBe('Watched');
    });

    test.each([
      ['merge', '{"spec":{"displayName":"Merged"}}', 'Merged'],
      ['json', '[{"op":"replace","path":"/spec/displayName","value":"Replaced"}]', 'Replaced'],
      ['strategic', '{"spec":{"displayName":"Strategic"}}', 'Strategic'],
    ])('patch --type=%s', (type, patch, displayName) => {
      admin.run(['patch', 'ss', 'db', '-n', 'team', `--type=${type}`, '-p', patch]);
      expect(shown('db')).toBe(displayName);
    });

    test('edit writes what the editor left', () => {
      const editor = join(aggregated.directory, 'editor.sh');
      writeFileSync(editor, '#!/bin/sh\nsed -i "s/displayName: Strategic/displayName: Edited/" "$1"\n');
      chmodSync(editor, 0o755);
      const out = admin.run(['edit', 'ss', 'db', '-n', 'team'], { env: { KUBE_EDITOR: editor } });
      expect(out).toBe(`${KIND}/db edited\n`);
      expect(shown('db')).toBe('Edited');
    });

    test('replace takes an object back, once', () => {
      const object = JSON.parse(get('db', '-o', 'json')) as KubeObject;
      const input = JSON.stringify({ ...object, spec: { ...(object.spec as object), displayName: 'Back' } });
      expect(admin.run(['replace', '-f', '-'], { input })).toBe(`${KIND}/db replaced\n`);
      expect(admin.attempt(['replace', '-f', '-'], { input }).err).toContain('(Conflict)');
    });

    test('a request that the schema does not allow is refused', () => {
      const input = manifest('bad', 'x').replace('description: A database', 'colour: red');
      const { code, err } = admin.attempt(['create', '-f', '-'], { input });
      expect([code, err]).toEqual([1, expect.stringContaining('unknown field "spec.colour"')]);
    });

    test('a kind that is only created, by a user who may not list CustomResourceDefinitions', () => {
      const resource = 'auditsearches.management.svc.example';
      admin.run(['create', 'clusterrole', 'auditors', '--verb=create', `--resource=${resource}`]);
      admin.run(['create', 'clusterrolebinding', 'auditors', '--clusterrole=auditors', '--user=ruth']);
      const { kubeconfig } = aggregated.host;
      const ruth = kubectl({ kubeconfig, directory: aggregated.directory, as: 'ruth' });
      expect(ruth.attempt(['get', 'customresourcedefinitions']).err).toContain('(Forbidden)');
      const search = { kind: 'AuditSearch', apiVersion: 'management.svc.example/v1', metadata: {} };
      const create = ['create', '-f', '-', '-o', 'jsonpath={.status.log}'];
      expect(ruth.run(create, { input: JSON.stringify({ ...search, spec: { verb: 'get' } }) })).toMatch(
        /^\w+$/,
      );
      const { err } = ruth.attempt(create, { input: JSON.stringify({ ...search, spec: { verbb: 'get' } }) });
      expect(err).toContain('unknown field "spec.verbb"');
    });

    test('delete, by name and all', () => {
      expect(admin.run(['delete', 'ss', 'db', '-n', 'team'])).toContain('"db" deleted');
      expect(admin.attempt(['get', 'ss', 'db', '-n', 'team']).err).toBe(
        'Error from server (NotFound): sharedsecrets.management.svc.example "db" not found\n',
      );
      expect(admin.run(['delete', 'ss', '--all', '-n', 'team'])).toContain('"applied" deleted');
      expect(admin.run(['get', 'ss', '-n', 'team', '-o', 'name'])).toBe('');
    });
  });
