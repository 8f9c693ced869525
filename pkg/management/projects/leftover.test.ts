/** Adoption of existing namespaces by a new project. */
import { expect, test } from '@jest/globals';
import type { KubeObject, ObjectMeta } from '../../../api/resource.js';
import { kind as roleBindings } from '../../registry/rbac/rolebinding/kind.js';
import { kind as roles } from '../../registry/rbac/role/kind.js';
import { kind as sharedSecrets } from '../sharing/sharedsecret/kind.js';
import type { Content } from '../../registry/transaction/effects.js';
import { whyNotAdopted } from './leftover.js';

const UID = 'management.svc.example/project-uid';
const OURS = { 'app.kubernetes.io/managed-by': 'management-apiserver' };
const fields = { 'f:metadata': { 'f:annotations': { [`f:${UID}`]: {} } } };
const written = { manager: 'management-apiserver', operation: 'Update', fieldsV1: fields } as const;
const LEFT: ObjectMeta = {
  name: 'loft-p-web',
  creationTimestamp: '2026-01-01T00:00:00Z',
  labels: { 'management.svc.example/project': 'web' },
  annotations: { [UID]: 'u' },
  managedFields: [written],
};

const content = (of: { readonly definition: Content['definition'] }, metadata: ObjectMeta): Content => ({
  definition: of.definition,
  object: { kind: of.definition.kind, apiVersion: '', metadata },
});
const member = (labels: Record<string, string>): Content =>
  content(roleBindings, { name: 'management:project-member:management-project-admin', labels });

test.each<[string, Partial<ObjectMeta>, readonly Content[], string, string | undefined]>([
  ['of an interrupted create', {}, [], '00:01:00', undefined],
  ['with bindings of members', {}, [member(OURS)], '00:01:00', undefined],
  ['with labels of others', { labels: { ...LEFT.labels, team: 'x' } }, [], '00:01:00', undefined],
  ['of a create that may still run', {}, [], '00:00:59', 'try again in a minute'],
  ['without the label', { labels: {} }, [], '00:01:00', "not the project's"],
  ['of another project', { labels: { 'management.svc.example/project': 'b' } }, [], '00:01:00', 'not the'],
  ['without the uid', { annotations: {} }, [], '00:01:00', "not the project's"],
  [
    'of another field manager',
    { managedFields: [{ ...written, manager: 'kubectl' }] },
    [],
    '00:01:00',
    'not the',
  ],
  [
    'whose uid another manager wrote',
    { managedFields: [{ ...written, fieldsV1: {} }] },
    [],
    '00:01:00',
    'not the',
  ],
  [
    'with an owner',
    { ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'x', uid: 'x' }] },
    [],
    '00:01:00',
    'not the',
  ],
  ['being deleted', { deletionTimestamp: '2026-01-01T00:00:30Z' }, [], '00:01:00', 'being deleted'],
  ['of unknown age', { creationTimestamp: 'x' }, [], '00:01:00', 'try again'],
  ['with a binding of others', {}, [member({})], '00:01:00', 'holds rolebindings "management:project-member'],
  [
    'with a binding',
    {},
    [content(roleBindings, { name: 'a', labels: OURS })],
    '00:01:00',
    'holds rolebindings "a"',
  ],
  ['with a role', {}, [member(OURS), content(roles, { name: 'r' })], '00:01:00', 'holds roles "r"'],
  ['with an object', {}, [content(sharedSecrets, { name: 's' })], '00:01:00', 'holds sharedsecrets "s"'],
])('adoption of a namespace %s', async (_name, changed, contents, time, why) => {
  const namespace: KubeObject = { kind: 'Namespace', apiVersion: 'v1', metadata: { ...LEFT, ...changed } };
  const asked: string[] = [];
  const said = await whyNotAdopted(namespace, 'web', `2026-01-01T${time}Z`, (name) => {
    asked.push(name);
    return Promise.resolve(contents);
  });
  if (why === undefined) expect(said).toBeUndefined();
  else expect(said).toContain(why);
  if (why === undefined || contents.length > 0) expect(asked).toEqual(['loft-p-web']);
});
