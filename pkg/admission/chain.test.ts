import { expect, test } from '@jest/globals';
import type { KubeObject, ResourceDefinition } from '../../api/resource.js';
import { ConfigMap } from '../../api/core/v1/configmap.js';
import { Secret } from '../../api/core/v1/secret.js';
import { SharedSecret } from '../../api/management.svc.example/v1/sharedsecret.js';
import { User } from '../../api/management.svc.example/v1/user.js';
import { AdmissionChain, kindsOf, type AdmissionPlugin } from './chain.js';

const plugin = (name: string, asked: string[], concerns?: AdmissionPlugin['concerns']): AdmissionPlugin => ({
  name,
  ...(concerns && { concerns }),
  mutate: () => Promise.resolve(void asked.push(`${name} mutates`)),
  validate: () => Promise.resolve(void asked.push(`${name} validates`)),
});

const chainOf = (asked: string[]) =>
  new AdmissionChain([
    plugin('Named', asked, kindsOf('', 'ConfigMap')),
    plugin('Group', asked, kindsOf('management.svc.example')),
    plugin('All', asked),
  ]);

test.each<[ResourceDefinition, string[]]>([
  [ConfigMap, ['Named', 'All']],
  [Secret, ['All']],
  [SharedSecret, ['Group', 'All']],
  [User, ['Group', 'All']],
])('calls the plugins that concern $kind, in order', async (definition, names) => {
  const asked: string[] = [];
  const chain = chainOf(asked);
  const requester = { name: 'alice', uid: '', groups: [], extra: {} };
  const attributes = { definition, requester, namespace: '', name: 'one', subresource: '', dryRun: false };
  const object: KubeObject = { kind: definition.kind, apiVersion: 'v1', metadata: {} };
  for (const operation of ['CREATE', 'UPDATE'] as const) {
    await chain.mutate({ ...attributes, operation }, object, undefined);
    await chain.validate({ ...attributes, operation }, object, undefined);
  }
  const once = ['mutates', 'validates'].flatMap((stage) => names.map((name) => `${name} ${stage}`));
  expect(asked).toEqual([...once, ...once]);
});
