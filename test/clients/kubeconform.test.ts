/** kubeconform, with the schemas of /openapi/v2: an object of every stored kind is as they say, and what they refuse is named. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { client } from '../fixtures/clients/client.js';
import { plantEveryKind } from '../fixtures/objects/everykind.js';
import { describeWith, execute } from '../fixtures/program.js';
import { fetchFrom, startServer, type ServerFixture } from '../fixtures/servers/server.js';
import { findProgram } from '../fixtures/stores/etcd.js';

interface Schema {
  readonly type?: unknown;
  readonly format?: unknown;
  readonly properties?: unknown;
  readonly 'x-kubernetes-group-version-kind'?: readonly { readonly group: string; readonly kind: string }[];
}
interface Judgement {
  readonly resources: readonly { readonly name: string; readonly msg: string }[];
  readonly summary: { readonly valid: number };
}

describeWith('kubeconform')('kubeconform', () => {
  let server: ServerFixture;
  let folder: string;
  let objects: readonly object[];

  beforeAll(async () => {
    server = await startServer();
    folder = mkdtempSync(join(tmpdir(), 'kubeconform-'));
    const { text } = await fetchFrom(`${server.url}/openapi/v2`);
    writeSchemas((JSON.parse(text) as { definitions: Record<string, Schema> }).definitions);
    objects = [...(await plantEveryKind(client(server))).objects.values()].map(withoutManagedFields);
  });
  afterAll(async () => {
    await server?.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  /** No schema describes fieldsV1. */
  const withoutManagedFields = (object: unknown): object => {
    const { metadata, ...rest } = object as { metadata: object };
    return { ...rest, metadata: { ...metadata, managedFields: undefined } };
  };

  /**
   * A file for each kind, where kubeconform is told to look: it takes the version of the core group for its name. The schemas are
   * closed, so that they refuse fields that they do not know.
   */
  function writeSchemas(definitions: Readonly<Record<string, Schema>>): void {
    const closed = JSON.stringify(definitions, (_, value: Schema | null) => {
      // Kubernetes writes null for a time of an Event that is not there.
      if (value?.format === 'date-time') return { ...value, type: ['string', 'null'] };
      return value?.type === 'object' && typeof value.properties === 'object'
        ? { additionalProperties: false, ...value }
        : value;
    });
    for (const [name, { 'x-kubernetes-group-version-kind': kinds = [] }] of Object.entries(definitions))
      for (const { group, kind } of kinds)
        writeFileSync(
          join(folder, `${kind.toLowerCase()}-${group || 'v1'}.json`),
          `{"$ref":"#/definitions/${name}","definitions":${closed}}`,
        );
  }

  function judge(judged: readonly object[]): Judgement {
    const location = join(folder, '{{.ResourceKind}}-{{.Group}}.json');
    const args = ['-output', 'json', '-summary', '-schema-location', location, '-'];
    const input = judged.map((object) => JSON.stringify(object)).join('\n---\n');
    const { out, err } = execute(findProgram('kubeconform') ?? '', args, { input });
    if (out === '') throw new Error(err);
    return JSON.parse(out) as Judgement;
  }

  test('takes an object of every kind', () => {
    const { summary, resources } = judge(objects);
    expect(resources).toEqual([]);
    expect(summary.valid).toBe(objects.length);
    expect(objects.length).toBeGreaterThan(15);
  });

  test('refuses a field that is none, and a value of another type', () => {
    const [good] = objects.filter((object) => (object as { kind: string }).kind === 'SharedSecret');
    const wrong = [{ dispalyName: 'x' }, { access: 'everybody' }].map((spec) => ({ ...good, spec }));
    const { summary, resources } = judge(wrong);
    expect(summary.valid).toBe(0);
    const told = resources.map(({ msg }) => msg).join();
    expect(told).toContain("additional properties 'dispalyName' not allowed");
    expect(told).toContain("at '/spec/access': got string, want array");
  });
});
