import { describe, expect, test } from '@jest/globals';
import type { JsonValue } from '../../../api/resource.js';
import { StatusError } from '../../apimachinery/errors.js';
import { decodeObject } from '../object/decode.js';
import type { Attributes } from '../../apimachinery/attributes.js';
import { virtualResourceStore, type VirtualResource, type RequestServices } from '../virtualresource.js';
import { kind as local } from './localsubjectaccessreview/kind.js';
import { kind as self } from './selfsubjectaccessreview/kind.js';
import { kind as subject } from './subjectaccessreview/kind.js';
import { runToCompletion } from '../../apimachinery/eventloop/slices.js';

const user = { name: 'caller', uid: '', groups: ['g'], extra: {} };

/** Returns the status, the attributes that the authorizer got, or the message of the error. */
async function review(
  kind: VirtualResource,
  body: JsonValue,
): Promise<{ status?: unknown; asked?: unknown; refusal?: string }> {
  const asked: { user: string; attributes: Attributes }[] = [];
  const services = {
    authorize: ({ name }: { name: string }, attributes: Attributes) => {
      asked.push({ user: name, attributes });
      return Promise.resolve({ allowed: name === 'caller', reason: name === 'caller' ? 'because' : '' });
    },
  } as unknown as RequestServices;
  const write = { requester: user, dryRun: false, warn: () => undefined, fieldManager: '' };
  const { object } = runToCompletion(decodeObject(virtualResourceStore(kind), [], body));
  try {
    const { status } = await kind.answer(object, {
      user,
      namespace: 'n',
      name: '',
      write,
      services,
      sourceAddress: '',
      annotate: () => undefined,
    });
    return { status, asked };
  } catch (error) {
    if (error instanceof StatusError) return { refusal: `${error.code} ${error.message}` };
    throw error;
  }
}

const resourceAttributes = { verb: 'get', resource: 'secrets', namespace: 'n' };
const asked = (name: string, attributes: object): object => ({ asked: [{ user: name, attributes }] });
const secrets = {
  ...resourceAttributes,
  kind: 'resource',
  group: '',
  version: '*',
  subresource: '',
  name: '',
};

test('authorizes for the caller, another user, and a user in one namespace', async () => {
  expect(await review(self, { spec: { resourceAttributes } })).toEqual({
    status: { allowed: true, reason: 'because' },
    ...asked('caller', secrets),
  });
  const spec = {
    user: 'u',
    resourceAttributes: { ...resourceAttributes, version: 'v2', subresource: 'x', name: 'y' },
  };
  expect(await review(subject, { spec })).toEqual({
    status: { allowed: false },
    ...asked('u', { ...secrets, version: 'v2', subresource: 'x', name: 'y' }),
  });
  expect(
    await review(local, { metadata: { namespace: 'n' }, spec: { user: 'u', resourceAttributes } }),
  ).toEqual({
    status: { allowed: false },
    ...asked('u', secrets),
  });
});

test('authorizes for a path', async () => {
  const spec = { nonResourceAttributes: { path: '/metrics', verb: 'get' } };
  expect(await review(self, { spec })).toMatchObject(
    asked('caller', { kind: 'path', path: '/metrics', verb: 'get' }),
  );
});

const PREFIX = '422 .authorization.k8s.io "" is invalid: ';
const selector = (labelSelector: JsonValue): JsonValue => ({
  spec: { resourceAttributes: { verb: 'get', labelSelector } },
});
const REQUIREMENTS = 'spec.resourceAttributes.labelSelector.requirements';

describe('refuses', () => {
  test.each<[string, VirtualResource, JsonValue, string]>([
    [
      'a review with a name',
      self,
      { metadata: { name: 'x' }, spec: { resourceAttributes } },
      `${PREFIX}metadata: Invalid value: {"name":"x"}: must be empty`,
    ],
    [
      'a review without a user',
      subject,
      { spec: { resourceAttributes } },
      `${PREFIX}spec.user: Invalid value: "": at least one of user or group must be specified`,
    ],
    [
      'another namespace',
      local,
      { metadata: { namespace: 'n' }, spec: { user: 'u', resourceAttributes: { namespace: 'other' } } },
      `${PREFIX}spec.resourceAttributes.namespace: Invalid value: "other": must match metadata.namespace`,
    ],
    [
      'a path in a namespace',
      local,
      { metadata: { namespace: 'n' }, spec: { user: 'u', nonResourceAttributes: { path: '/x' } } },
      `${PREFIX}spec.nonResourceAttributes: Invalid value: {"Path":"/x","Verb":""}: disallowed on this kind of request`,
    ],
    [
      'a review for another namespace than the path',
      local,
      { metadata: { namespace: 'm' }, spec: { user: 'u', resourceAttributes: { namespace: 'm' } } },
      '400 spec.resourceAttributes.namespace must match namespace: n',
    ],
    [
      'an empty selector',
      self,
      selector({}),
      `${PREFIX}${REQUIREMENTS}: Required value: when spec.resourceAttributes.labelSelector is specified, requirements or rawSelector is required`,
    ],
    [
      'two selectors',
      self,
      selector({ rawSelector: 'a', requirements: [{ key: 'a', operator: 'Exists' }] }),
      `${PREFIX}spec.resourceAttributes.labelSelector.rawSelector: Invalid value: "a": may not specified at the same time as requirements`,
    ],
    [
      'a selector without values',
      self,
      selector({ requirements: [{ key: 'a', operator: 'In' }] }),
      `${PREFIX}${REQUIREMENTS}[0].values: Required value: must be specified when \`operator\` is 'In' or 'NotIn'`,
    ],
  ])('%s', async (_name, kind, body, refusal) => {
    expect(await review(kind, body)).toEqual({ refusal });
  });
});

test('accepts an unknown operator', async () => {
  const answer = await review(
    self,
    selector({ requirements: [{ key: 'a', operator: 'Like', values: ['b'] }] }),
  );
  expect(answer).toMatchObject({ status: { allowed: true } });
});
