/** The real kubectl with a compiled server, below the base path, and across a crash. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { KubeObject } from '../../../api/resource.js';
import { execute, describeKubectl, type Outcome } from '../../fixtures/program.js';
import { startServer, type ServerFixture } from '../../fixtures/servers/server.js';

let server: ServerFixture;
let program: string;

const flags = (): string[] => [
  `--kubeconfig=${server.kubeconfig}`,
  `--server=${server.url}/kubernetes/management`,
  `--cache-dir=${join(server.directory, 'cache')}`,
];

/** Runs kubectl to its end, with `input` on its standard input. */
function kubectl(args: readonly string[], input = '', env: Record<string, string> = {}): Outcome {
  return execute(program, [...flags(), ...args], { input, env: { HOME: server.directory, ...env } });
}

/** Runs kubectl, which must succeed. Returns its output. */
function run(args: readonly string[], input?: string, env?: Record<string, string>): string {
  const { code, out, err } = kubectl(args, input, env);
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${code}: ${err}${out}`);
  return out;
}

const get = (...args: string[]): string => run(['get', 'sharedsecret', 'db', '-n', 'team', ...args]);
const field = (path: string): string => get('-o', `jsonpath={${path}}`);

const SECRET = `apiVersion: management.svc.example/v1
kind: SharedSecret
metadata:
  name: db
  namespace: team
spec:
  displayName: Database
  description: The team's database
  data:
    password: cGFzcw==
`;
const NAMESPACE = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } };
const CONFIG = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { a: '1' } };

describeKubectl('oldest and newest', (path) => {
  beforeAll(async () => {
    program = path;
    server = await startServer();
  });
  afterAll(() => server.remove());

  test('create makes what -f describes', () => {
    expect(run(['create', '-f', '-'], JSON.stringify(NAMESPACE))).toBe('namespace/team created\n');
    expect(run(['create', '-f', '-'], SECRET)).toBe('sharedsecret.management.svc.example/db created\n');
    const again = kubectl(['create', '-f', '-'], SECRET);
    expect(again.code).toBe(1);
    expect(again.err).toContain('(AlreadyExists)');
  });

  test('its generators of core kinds, which write protobuf', () => {
    expect(run(['create', 'namespace', 'other'])).toBe('namespace/other created\n');
    const [text, binary] = ['größe: 1\n', Buffer.from([0, 255, 10])];
    const file = join(server.directory, 'binary');
    writeFileSync(file, binary);
    const sources = [`--from-literal=text=${text}`, `--from-file=${file}`];
    expect(run(['create', 'configmap', 'made', '-n', 'other', ...sources])).toBe('configmap/made created\n');
    const made = JSON.parse(run(['get', 'configmap', 'made', '-n', 'other', '-o', 'json'])) as object;
    expect(made).toMatchObject({ data: { text }, binaryData: { binary: binary.toString('base64') } });
    expect(run(['create', 'secret', 'generic', 'made', '-n', 'other', '--from-literal=a=b'])).toBe(
      'secret/made created\n',
    );
    expect(run(['create', 'serviceaccount', 'made', '-n', 'other'])).toBe('serviceaccount/made created\n');
    const again = kubectl(['create', 'namespace', 'other']);
    expect(again.err).toContain('Error from server (AlreadyExists): namespaces "other" already exists');
    expect(kubectl(['create', 'configmap', 'A', '-n', 'other']).err).toContain('is invalid: metadata.name');
  });

  test('get prints tables, YAML, JSON and JSONPath', () => {
    const [head = '', row = ''] = get().split('\n');
    expect(head).toMatch(/^NAME +DISPLAY NAME +ENTRIES +OWNER +AGE$/);
    expect(row).toMatch(/^db +Database +1 /);
    expect(get('-o', 'wide').split('\n')[0]).toMatch(/^NAME +.*AGE +DESCRIPTION$/);
    expect(get('-o', 'yaml')).toContain('\n  displayName: Database\n');
    expect(JSON.parse(get('-o', 'json'))).toMatchObject({ spec: { data: { password: 'cGFzcw==' } } });
    expect(field('.spec.data.password')).toBe('cGFzcw==');
    expect(run(['get', 'ss', '-A', '-o', 'name'])).toBe('sharedsecret.management.svc.example/db\n');
    expect(run(['get', 'ss', '-A']).split('\n')[0]).toMatch(/^NAMESPACE +NAME /);
    expect(run(['describe', 'sharedsecret', 'db', '-n', 'team'])).toContain('Database');
  });

  test('reports unknown objects, resource types and selectors', () => {
    const missing = kubectl(['get', 'sharedsecret', 'nobody', '-n', 'team']);
    expect(missing).toMatchObject({ code: 1, out: '' });
    expect(missing.err).toBe(
      'Error from server (NotFound): sharedsecrets.management.svc.example "nobody" not found\n',
    );
    expect(kubectl(['get', 'nosuchthings']).err).toContain(`the server doesn't have a resource type`);
    expect(kubectl(['get', 'ss', '-n', 'team', '-l', '!!']).code).toBe(1);
  });

  test.each(['admin', 'nobody'])('says to %s that nothing matches a misspelt kind', (user) => {
    const misspelt = JSON.stringify({ ...CONFIG, kind: 'ConfigMop' });
    for (const verb of ['create', 'apply']) {
      const { code, err } = kubectl(
        [verb, '-f', '-', `--as=${user}`, '--as-group=system:authenticated'],
        misspelt,
      );
      expect([code, err]).toEqual([
        1,
        expect.stringMatching(/no matches for kind "ConfigMop" in version "v1"/),
      ]);
    }
  });

  test('apply changes what changed, on the client side', () => {
    const apply = ['apply', '--validate', '-n', 'team', '-f', '-'];
    expect(run(apply, JSON.stringify(CONFIG))).toBe('configmap/settings created\n');
    expect(run(apply, JSON.stringify(CONFIG))).toBe('configmap/settings unchanged\n');
    const custom = SECRET.replace('name: db', 'name: applied');
    expect(run(apply, custom)).toBe('sharedsecret.management.svc.example/applied created\n');
    expect(run(apply, custom.replace('Database', 'Store'))).toBe(
      'sharedsecret.management.svc.example/applied configured\n',
    );
    expect(run(['get', 'ss', 'applied', '-n', 'team', '-o', 'jsonpath={.spec.displayName}'])).toBe('Store');
  });

  test.each([
    ['configmap', JSON.stringify({ ...CONFIG, data: { a: '1', c: '4' } })],
    ['sharedsecret', SECRET.replace('name: db', 'name: applied')],
  ])('apply sends a strategic merge patch: %s', (_, manifest) => {
    const { code, err } = kubectl(['apply', '-n', 'team', '-v=8', '-f', '-'], manifest);
    expect(code).toBe(0);
    expect(err).toContain('Content-Type: application/strategic-merge-patch+json');
  });

  test('apply --server-side owns what it applies, and says who else does', () => {
    const config = (name: string, data: object): string =>
      JSON.stringify({ ...CONFIG, metadata: { name }, data });
    const apply = (manager: string, ...more: string[]): string[] => [
      'apply',
      '--server-side',
      `--field-manager=${manager}`,
      ...more,
      '-n',
      'team',
      '-f',
      '-',
    ];
    expect(run(apply('alice'), config('shared', { a: '1' }))).toBe('configmap/shared serverside-applied\n');
    expect(run(apply('bob'), config('shared', { b: '1' }))).toBe('configmap/shared serverside-applied\n');
    const refused = kubectl(apply('bob'), config('shared', { a: '2', b: '1' }));
    expect(refused.code).toBe(1);
    expect(refused.err).toContain('Apply failed with 1 conflict: conflict with "alice": .data.a');
    expect(
      run(['diff', '--server-side', '-n', 'team', '-f', '-'], config('shared', { a: '1', b: '1' })),
    ).toBe('');
    const diff = kubectl(
      ['diff', '--server-side', '--force-conflicts', '-n', 'team', '-f', '-'],
      config('shared', { a: '3' }),
    );
    expect(diff.code).toBe(1);
    expect(diff.out).toMatch(/^-  a: "1"\n\+  a: "3"$/m);
    const forced = apply('bob', '--force-conflicts');
    expect(run(forced, config('shared', { a: '2', b: '1' }))).toBe('configmap/shared serverside-applied\n');
    const show = ['get', 'cm', 'shared', '-n', 'team', '--show-managed-fields', '-o'];
    expect(run([...show, 'jsonpath={.data}'])).toBe('{"a":"2","b":"1"}');
    expect(run([...show, 'jsonpath={.metadata.managedFields[*].manager}'])).toBe('bob');
  });

  test('apply --server-side takes over from apply on the client side', () => {
    const manifest = (a: string): string =>
      JSON.stringify({ ...CONFIG, metadata: { name: 'upgraded' }, data: { a } });
    const side = (...flags: string[]): string[] => ['apply', ...flags, '-n', 'team', '-f', '-'];
    run(side(), manifest('1'));
    expect(run(side('--server-side'), manifest('2'))).toBe('configmap/upgraded serverside-applied\n');
    const show = ['get', 'cm', 'upgraded', '-n', 'team', '--show-managed-fields', '-o', 'json'];
    const { data, metadata } = JSON.parse(run(show)) as KubeObject;
    expect(data).toEqual({ a: '2' });
    const applied = metadata.managedFields?.find(({ manager }) => manager === 'kubectl');
    expect(applied).toMatchObject({ operation: 'Apply', fieldsV1: { 'f:data': { 'f:a': {} } } });
    const annotation = metadata.annotations?.['kubectl.kubernetes.io/last-applied-configuration'] ?? '{}';
    expect((JSON.parse(annotation) as KubeObject).data).toEqual({ a: '2' });
    expect(run(side('--server-side'), manifest('3'))).toBe('configmap/upgraded serverside-applied\n');
  });

  test('diff shows what an apply would change, and changes nothing', () => {
    const changed = SECRET.replace('name: db', 'name: applied').replace('Database', 'Elsewhere');
    const { code, out } = kubectl(['diff', '-n', 'team', '-f', '-'], changed);
    expect(code).toBe(1);
    expect(out).toMatch(/^-  displayName: Database\n\+  displayName: Elsewhere$/m);
    expect(run(['get', 'ss', 'applied', '-n', 'team', '-o', 'jsonpath={.spec.displayName}'])).toBe(
      'Database',
    );
  });

  test('get -w prints changes as they come', async () => {
    const watch = spawn(program, [
      ...flags(),
      'get',
      'ss',
      '-n',
      'team',
      '-w',
      '-o',
      'custom-columns=N:.metadata.name,D:.spec.displayName',
    ]);
    try {
      await printed(watch, /db +Database/);
      const changed = printed(watch, /db +Watched/);
      run(['patch', 'ss', 'db', '-n', 'team', '--type=merge', '-p', '{"spec":{"displayName":"Watched"}}']);
      await changed;
    } finally {
      watch.kill();
      await once(watch, 'close');
    }
    expect(field('.spec.displayName')).toBe('Watched');
  });

  test('edit writes what the editor left', () => {
    const editor = join(server.directory, 'editor.sh');
    writeFileSync(editor, '#!/bin/sh\nsed -i "s/displayName: Watched/displayName: Edited/" "$1"\n');
    chmodSync(editor, 0o755);
    const out = run(['edit', 'ss', 'db', '-n', 'team'], '', { KUBE_EDITOR: editor });
    expect(out).toBe('sharedsecret.management.svc.example/db edited\n');
    expect(field('.spec.displayName')).toBe('Edited');
  });

  test('label, annotate and patch', () => {
    run(['label', 'ss', 'db', '-n', 'team', 'tier=gold']);
    run(['annotate', 'ss', 'db', '-n', 'team', 'note=kept']);
    expect(run(['get', 'ss', '-n', 'team', '-l', 'tier in (gold)', '-o', 'name'])).toContain('/db');
    expect(field('.metadata.annotations.note')).toBe('kept');
    run(['label', 'ss', 'db', '-n', 'team', 'tier-']);
    expect(field('.metadata.labels')).toBe('');
    run(['patch', 'ss', 'db', '-n', 'team', '--type=merge', '-p', '{"spec":{"data":{"user":"YQ=="}}}']);
    expect(field('.spec.data')).toBe('{"password":"cGFzcw==","user":"YQ=="}');
    const operations = [{ op: 'remove', path: '/spec/data/user' }];
    run(['patch', 'ss', 'db', '-n', 'team', '--type=json', '-p', JSON.stringify(operations)]);
    expect(field('.spec.data')).toBe('{"password":"cGFzcw=="}');
  });

  test.each([
    ['cm', 'settings', '{"data":{"a":"2","b":"3","c":null}}', 'data', '{"a":"2","b":"3"}'],
    ['ss', 'db', '{"spec":{"data":{"extra":"YQ=="}}}', 'spec.data', '{"extra":"YQ==","password":"cGFzcw=="}'],
  ])('patch without a type merges strategically: %s', (resource, name, patch, path, expected) => {
    const patched = (text: string, show: string): string => {
      run(['patch', resource, name, '-n', 'team', '-p', text]);
      return run(['get', resource, name, '-n', 'team', '-o', `jsonpath={.${show}}`]);
    };
    expect(patched(patch, path)).toBe(expected);
    const finalizers = (...names: string[]): string => JSON.stringify({ metadata: { finalizers: names } });
    expect(patched(finalizers('example.com/a'), 'metadata.finalizers')).toBe('["example.com/a"]');
    expect(patched(finalizers('example.com/b'), 'metadata.finalizers')).toBe(
      '["example.com/b","example.com/a"]',
    );
    const all = '{"metadata":{"$deleteFromPrimitiveList/finalizers":["example.com/a","example.com/b"]}}';
    expect(patched(all, 'metadata.finalizers')).toBe('');
  });

  test('replace takes an object back, once', () => {
    const object = get('-o', 'json');
    const renamed = object.replace('"Edited"', '"Replaced"');
    expect(run(['replace', '-f', '-'], renamed)).toBe('sharedsecret.management.svc.example/db replaced\n');
    expect(field('.spec.displayName')).toBe('Replaced');
    expect(kubectl(['replace', '-f', '-'], renamed).err).toContain('(Conflict)');
  });

  test('explain tells of fields', () => {
    expect(run(['explain', 'sharedsecret.spec.displayName'])).toMatch(/FIELD: displayName <string>/);
    expect(run(['explain', 'ss.spec', '--recursive'])).toMatch(/data\s+<map\[string\]string>/);
    expect(run(['explain', 'configmap'])).toMatch(/KIND: +ConfigMap/);
  });

  test('api-resources and api-versions list what is served', () => {
    const resources = run(['api-resources', '--no-headers']);
    expect(resources).toMatch(/^sharedsecrets +ss +management\.svc\.example\/v1 +true +SharedSecret$/m);
    expect(resources).toMatch(/^configmaps +cm +v1 +true +ConfigMap$/m);
    expect(resources).toMatch(/^namespaces +ns +v1 +false +Namespace$/m);
    expect(run(['api-versions'])).toContain('management.svc.example/v1\n');
    expect(run(['version', '-o', 'json'])).toContain('"serverVersion"');
  });

  test('after a crash everything is there', async () => {
    const everything = ['get', 'ns,cm,ss', '-A', '-o', 'json'];
    const before = JSON.parse(run(everything)) as { items: unknown[] };
    expect(before.items.length).toBeGreaterThan(4);
    await server.kill();
    await server.restart();
    expect((JSON.parse(run(everything)) as { items: unknown[] }).items).toEqual(before.items);
  });

  test('delete takes away, by name, by file and all', () => {
    expect(run(['delete', '-f', '-'], SECRET)).toContain('"db" deleted');
    expect(kubectl(['get', 'ss', 'db', '-n', 'team']).err).toContain('(NotFound)');
    expect(run(['delete', 'ss', '--all', '-n', 'team'])).toContain('"applied" deleted');
    expect(run(['delete', 'configmap', 'settings', '-n', 'team'])).toContain('"settings" deleted');
    expect(run(['get', 'ss', '-n', 'team', '-o', 'name'])).toBe('');
  });
});

/** Resolves when the program prints `pattern` after the call. */
async function printed(child: ChildProcess, pattern: RegExp): Promise<void> {
  let text = '';
  await new Promise<void>((resolve, reject) => {
    let errors = '';
    child.stderr?.on('data', (piece: Buffer) => {
      errors += piece.toString();
    });
    const end = (): void => reject(new Error(`kubectl ended: ${text}${errors}`));
    const read = (piece: Buffer): void => {
      text += piece.toString();
      if (!pattern.test(text)) return;
      child.stdout?.off('data', read);
      child.off('close', end);
      resolve();
    };
    child.stdout?.on('data', read);
    child.once('close', end);
  });
}
