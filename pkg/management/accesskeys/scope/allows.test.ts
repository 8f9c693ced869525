import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { scopeAllows } from './allows.js';
import type { Scope } from './interface.js';
import { ROWS, SCOPES, SETTINGS, request, type Name } from './testing/table.js';
import { scopeWithin } from './within.js';

const NAMES = Object.keys(SCOPES) as Name[];
const requests = ROWS.map(([text, short]) => request(text, short));

describe('scopes', () => {
  const table = ROWS.flatMap(([text, short, allowed]) =>
    NAMES.map((name) => [name, text, short, allowed.includes(name)] as const),
  );
  test('are tested with hundreds of requests', () => expect(table.length).toBeGreaterThan(150));
  test.each(table)('%s: %s %j is allowed: %j', (name, text, short, expected) => {
    expect(scopeAllows(SCOPES[name], request(text, short), SETTINGS)).toBe(expected);
  });

  test.each(requests.map((one) => [one]))('no scope allows %j', (one) => {
    expect(scopeAllows(undefined, one, SETTINGS)).toBe(true);
  });

  const part = fc.constantFrom(...NAMES.map((name): Scope => SCOPES[name]));
  const scopes = fc.array(part, { maxLength: 4 }).map(joined);
  const oneRequest = fc.constantFrom(...requests);

  test('a scope never adds rights, and further parts never remove any', () => {
    fc.assert(
      fc.property(scopes, scopes, oneRequest, fc.boolean(), (one, other, asked, mayOwner) => {
        const decides = (scope: Scope | undefined): boolean =>
          mayOwner && scopeAllows(scope, asked, SETTINGS);
        expect(decides(one) && !decides(undefined)).toBe(false);
        expect(decides(one) && !decides(joined([one, other]))).toBe(false);
      }),
    );
  });

  test('a scope within another allows only requests that the other allows', () => {
    fc.assert(
      fc.property(scopes, scopes, oneRequest, (one, other, asked) => {
        const wide = joined([one, other]);
        expect(scopeWithin(one, wide)).toBe(true);
        if (!scopeWithin(other, one)) return;
        expect(scopeAllows(other, asked, SETTINGS) && !scopeAllows(one, asked, SETTINGS)).toBe(false);
      }),
    );
    expect(scopeWithin(undefined, {})).toBe(false);
    expect(scopeWithin(SCOPES.all, SCOPES.web)).toBe(false);
    expect(scopeWithin(SCOPES.space, SCOPES.all)).toBe(true);
  });
});

function joined(parts: readonly Scope[]): Scope {
  const list = <K extends 'projects' | 'spaces' | 'virtualClusters' | 'rules'>(member: K) =>
    parts.flatMap((one) => [...((one[member] ?? []) as unknown[])]) as NonNullable<Scope[K]>;
  return {
    projects: list('projects'),
    spaces: list('spaces'),
    virtualClusters: list('virtualClusters'),
    rules: list('rules'),
    allowPlatformCli: parts.some(({ allowPlatformCli }) => allowPlatformCli === true),
  };
}
