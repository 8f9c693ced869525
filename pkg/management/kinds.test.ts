import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { apiVersionOf, type ResourceDefinition } from '../../api/resource.js';
import { resourcePrefix } from '../registry/keys.js';
import { KINDS } from './kinds.js';
import type { Strategy } from '../registry/strategy.js';
import { SECRET_RECORDS } from './secretrecords.js';

const filesIn = (folder: string): string[] =>
  readdirSync(fileURLToPath(new URL(folder, import.meta.url)), { recursive: true, encoding: 'utf8' });

const registered = KINDS.map(({ definition }) => definition);

describe('the kinds', () => {
  test('are unique', () => {
    const names = registered.map(({ group, plural }) => `${plural}.${group}`);
    expect(names).toContain('sharedsecrets.management.svc.example');
    expect(new Set(names).size).toBe(names.length);
  });

  test('include every folder with a strategy', () => {
    for (const root of ['.', '../registry']) {
      const files = filesIn(root);
      const strategies = files.filter((file) => file.endsWith('/strategy.ts'));
      expect(strategies.length).toBeGreaterThan(0);
      const without = strategies.filter((file) => !files.includes(file.replace('strategy.ts', 'kind.ts')));
      expect(without).toEqual([]);
    }
  });

  test('with secret data are encrypted at rest', () => {
    const kept = KINDS.filter((kind) => !('answer' in kind)).map(({ definition }) => definition);
    const holders = kept.filter(({ schema }) =>
      /"(x-sensitive|writeOnly)":true/.test(JSON.stringify(schema)),
    );
    expect(holders.map(({ plural }) => plural)).toEqual(
      expect.arrayContaining(['secrets', 'sharedsecrets', 'projectsecrets', 'ownedaccesskeys']),
    );
    const open = holders.filter((definition) => !SECRET_RECORDS.holds(`${resourcePrefix(definition)}a/b`));
    expect(open.map(({ plural }) => plural)).toEqual([]);
  });

  test('include every definition below api/, in its group and version', async () => {
    const declared = filesIn('../../api').filter((file) => /^[^/]+\/[^/]+\/[^/]+\.ts$/.test(file));
    for (const file of declared.map((path) => path.replace(/\.ts$/, ''))) {
      const exports = Object.values((await import(`../../api/${file}.js`)) as Record<string, unknown>);
      for (const definition of exports.filter(isDefinition)) {
        expect(registered).toContain(definition);
        const group = definition.group === '' ? 'core' : definition.group;
        expect(file).toBe(`${group}/${definition.version}/${definition.kind.toLowerCase()}`);
      }
    }
  });
});

test('prints the columns of an empty object, as in bookmarks', () => {
  for (const registration of KINDS) {
    const { definition } = registration;
    const { kind, builtIn } = definition;
    const { columns = [] } = (registration as { strategy?: Strategy }).strategy ?? {};
    for (const { name, cell } of columns) {
      const shown = cell(
        { kind, apiVersion: apiVersionOf(definition), metadata: { resourceVersion: '5' } },
        0,
      );
      expect([kind, name, shown]).not.toContain(undefined);
      if (builtIn !== true) continue;
      const expected = SHOWN_OF_NOTHING[`${kind} ${name}`] ?? SHOWN_OF_NOTHING[name] ?? '';
      expect([kind, name, shown]).toEqual([kind, name, expected]);
    }
  }
});

/** Cells that kube-apiserver fills, by column, or kind and column. */
const SHOWN_OF_NOTHING: Readonly<Record<string, unknown>> = {
  Age: '<unknown>',
  'Created At': '0001-01-01T00:00:00Z',
  Data: 0,
  Count: 1,
  'Last Seen': '<unknown>',
  'First Seen': '<unknown>',
  'RoleBinding Role': '/',
  'ClusterRoleBinding Role': '/',
};

function isDefinition(value: unknown): value is ResourceDefinition {
  return typeof value === 'object' && value !== null && 'plural' in value && 'schema' in value;
}
