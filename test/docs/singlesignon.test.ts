/** What docs/single-sign-on.md says of each provider, tried with an ID token of the form that the provider documents. */
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { identityOf } from '../../pkg/management/login/claims.js';
import { parseLoginConfig } from '../../pkg/management/login/parseconfig.js';
import { RuleSet } from '../../pkg/management/grouprules/ruleset.js';
import { ENTRA_OVERAGE, PROVIDERS, type ProviderClaims } from '../fixtures/stubs/providerclaims.js';
import { readPage } from './page.js';

const PAGE = readPage('docs/single-sign-on.md');
const sectionOf = (provider: string): string =>
  PAGE.split(/^## /m).find((section) => section.startsWith(`${provider}\n`)) ?? '';
const settingsOf = (provider: string): ReturnType<typeof parseLoginConfig> => {
  const [, yaml = ''] = /```yaml\n([^]*?)```/.exec(sectionOf(provider)) ?? [];
  return parseLoginConfig(parse(yaml), () => 'secret');
};
const ruleOf = ({ rule }: ProviderClaims): RuleSet =>
  new RuleSet([
    {
      kind: 'GroupRule',
      apiVersion: 'management.svc.example/v1',
      metadata: {
        name: 'web',
        uid: 'rule',
        ownerReferences: [
          { apiVersion: 'management.svc.example/v1', kind: 'Team', name: 'web', uid: 'team' },
        ],
      },
      spec: { ...rule, team: 'web' },
    },
  ]);

describe.each(Object.entries(PROVIDERS))('%s', (provider, { claims, rule, user, ...rest }) => {
  test('its section names the issuer, and the value of the rule', () => {
    expect(settingsOf(provider).issuer).toBe(claims.iss);
    for (const value of rule.values) expect(PAGE).toContain(value);
  });

  test('a login gets a name, and what the rule gives', () => {
    const settings = settingsOf(provider);
    const rules = ruleOf({ claims, rule, user, ...rest });
    const identity = identityOf(claims, settings, rules.claims());
    expect(identity).toMatchObject({ name: user, subject: claims.sub, notes: [] });
    const groups = { name: settings.groupsClaim, values: [...identity.providerGroups] };
    expect(rules.given({ issuer: settings.issuer, claims: [groups, ...identity.claims] })).toEqual([
      { rule: 'web', uid: 'team', team: 'web' },
    ]);
  });
});

test('too many groups of Entra ID give nothing, with a note', () => {
  const { groups: _, ...claims } = PROVIDERS['Entra ID']?.claims ?? { sub: '' };
  const identity = identityOf({ ...claims, ...ENTRA_OVERAGE, sub: 's' }, settingsOf('Entra ID'));
  expect(identity.providerGroups).toEqual([]);
  expect(identity.notes).toEqual([expect.stringContaining('the provider sends no list')]);
});
