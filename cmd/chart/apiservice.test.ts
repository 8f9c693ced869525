import { expect, test } from '@jest/globals';
import type { HostClient, HostRequest } from '../../pkg/hostclient/interface.js';
import { checkApiService } from './apiservice.js';

const NAME = 'v1.management.svc.example';
const GROUP = 'management.svc.example';
const apiService = {
  spec: { group: GROUP, version: 'v1' },
  status: { conditions: [{ type: 'Available', status: 'True' }] },
};
const discovered = (version: object): object => ({
  items: [{ metadata: { name: GROUP }, versions: [version] }],
});
const LISTED = ['sharedsecrets', 'revocations'];
const resources = [{ resource: 'sharedsecrets' }];

/** A host whose discovery documents come one after the other. */
function hostWith(
  documents: readonly object[],
  statuses: Readonly<Record<string, number>> = {},
): {
  readonly host: HostClient;
  readonly asked: HostRequest[];
} {
  const asked: HostRequest[] = [];
  let told = 0;
  const send = async (request: HostRequest) => {
    asked.push(request);
    const { path } = request;
    const list = { resources: LISTED.map((name) => ({ name, verbs: ['list'] })) };
    const bodies: Record<string, () => unknown> = {
      '/apis': () => documents[Math.min(told++, documents.length - 1)],
      [`/apis/apiregistration.k8s.io/v1/apiservices/${NAME}`]: () => apiService,
      [`/apis/${GROUP}/v1`]: () => list,
    };
    const status = statuses[path.replace(/.*\/|\?.*/g, '')] ?? 200;
    return { status, body: bodies[path]?.() ?? {}, retryAfterMs: undefined };
  };
  return { host: { send } as unknown as HostClient, asked };
}

test('waits until discovery lists the kinds, as kubectl requests it', async () => {
  const { host, asked } = hostWith([
    {},
    { items: [] },
    discovered({ version: 'v1', freshness: 'Stale', resources }),
    discovered({ version: 'v1', freshness: 'Current', resources: [] }),
    discovered({ version: 'v2', freshness: 'Current', resources }),
    discovered({ version: 'v1', freshness: 'Current', resources }),
  ]);
  const said: string[] = [];
  await checkApiService(host, NAME, (text) => said.push(text));
  expect(said).toEqual([
    `apiservice ${NAME} is available`,
    'kubectl finds its kinds',
    'sharedsecrets can be listed',
    'revocations can be listed',
  ]);
  const requests = asked.filter(({ path }) => path === '/apis');
  expect(requests).toHaveLength(6);
  expect(requests[0]?.accept).toContain('g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList');
});

test('accepts a refusal for kinds that only agents list', async () => {
  const found = [discovered({ version: 'v1', freshness: 'Current', resources })];
  const { host } = hostWith(found, { revocations: 403 });
  const said: string[] = [];
  await checkApiService(host, NAME, (text) => said.push(text));
  expect(said.slice(-2)).toEqual([
    'sharedsecrets can be listed',
    'revocations is refused to this account, as it may be',
  ]);
});
