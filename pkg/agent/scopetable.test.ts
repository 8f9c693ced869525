/** The table of scopes, tested with the agent: it enforces scopes exactly like the management API. */
import { Agent, request as httpsRequest } from 'node:https';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { KubeObject } from '../../api/resource.js';
import {
  claimsOf,
  instance,
  startAgentParts,
  type AgentParts,
} from '../../test/fixtures/agents/agentparts.js';
import { scopeAllows } from '../management/accesskeys/scope/allows.js';
import type { Scope, ScopedRequest } from '../management/accesskeys/scope/interface.js';
import {
  CALLER,
  ROWS,
  SCOPES,
  SETTINGS,
  request,
  type Name,
} from '../management/accesskeys/scope/testing/table.js';
import { targetOf } from './scopedrequest.js';
import type { Destination } from './interface.js';

const METHODS: Readonly<Record<string, string>> = {
  get: 'GET',
  list: 'GET',
  create: 'POST',
  post: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
};
const AT_A_TIME = 8;

const DESTINATIONS: readonly (readonly [prefix: string, Destination])[] = [
  ['/kubernetes/cluster', { kind: 'cluster' }],
  ['/kubernetes/project/web/space/one', { kind: 'space', project: 'web', name: 'one' }],
  ['/kubernetes/project/web/space/two', { kind: 'space', project: 'web', name: 'two' }],
  ['/kubernetes/project/shop/space/one', { kind: 'space', project: 'shop', name: 'one' }],
  ['/kubernetes/project/web/virtualcluster/one', { kind: 'virtualcluster', project: 'web', name: 'one' }],
];

let agent: AgentParts;
const kept = new Agent({ keepAlive: true, maxSockets: AT_A_TIME });

beforeAll(async () => {
  agent = await startAgentParts((_request, response) => void response.end('{}'));
  agent.people.teams.put({
    metadata: { name: 'ops', uid: 'uid-ops' },
    spec: { users: ['anna'] },
  } as unknown as KubeObject);
  const spaces: readonly [string, string][] = [
    ['web', 'one'],
    ['web', 'two'],
    ['shop', 'one'],
  ];
  agent.places.spaces.replace(spaces.map(([project, name]) => instance(project, name, 'own')));
  agent.places.virtualClusters.replace([instance('web', 'one', 'own')]);
});
afterAll(async () => {
  kept.destroy();
  await agent.stop();
});

/** The path of a request with these attributes. */
function pathOf({ attributes }: ScopedRequest): string {
  if (attributes.kind === 'path') return attributes.path;
  const { group, version, namespace, resource, name, subresource } = attributes;
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const within = namespace === '' || resource === 'namespaces' ? '' : `/namespaces/${namespace}`;
  return [`${root}${within}/${resource}`, name, subresource].filter((part) => part !== '').join('/');
}

/** Whether the scope of the token allows the request. Other errors are not about the scope. */
async function passes(path: string, verb: string, token: string): Promise<boolean> {
  const method = METHODS[verb];
  if (method === undefined) throw new Error(`${verb} is no verb of a request`);
  const [status, body] = await new Promise<[number, string]>((resolve, reject) => {
    const sent = httpsRequest(
      {
        host: '127.0.0.1',
        port: agent.port,
        ca: agent.authority,
        agent: kept,
        path,
        method,
        headers: { authorization: `Bearer ${token}` },
      },
      (response) => void text(response).then((all) => resolve([response.statusCode ?? 0, all]), reject),
    );
    sent.once('error', reject);
    sent.end();
  });
  if (status !== 200 && status !== 403) throw new Error(`${method} ${path}: ${status} ${body}`);
  return !(status === 403 && body.includes('denied by token scope'));
}

test('the agent permits what the table lists for each scope', async () => {
  const names = Object.keys(SCOPES) as Name[];
  const tokens = new Map<Name, string>();
  for (const name of names) {
    const { groups, ...claims } = claimsOf('anna', SCOPES[name]);
    const all = [...(groups as string[]), 'management:team:ops'];
    tokens.set(name, await agent.token({ ...claims, groups: all }));
  }
  const asked = ROWS.flatMap(([line, short, allowed]) =>
    DESTINATIONS.flatMap(([prefix, destination]) =>
      names.map((name) => {
        const to = targetOf(destination, 'east');
        const { attributes } = request(line, short);
        const one: ScopedRequest = { to, caller: CALLER, attributes };
        const scope: Scope = SCOPES[name];
        const expected = scopeAllows(scope, one, SETTINGS);
        // The entry of the table for this target.
        if (JSON.stringify(short.to) === JSON.stringify(to)) expect(expected).toBe(allowed.includes(name));
        return { path: prefix + pathOf(one), verb: attributes.verb, name, expected };
      }),
    ),
  );
  const differences: string[] = [];
  const each = async (): Promise<void> => {
    for (let one = asked.pop(); one !== undefined; one = asked.pop()) {
      const { path, verb, name, expected } = one;
      const passed = await passes(path, verb, tokens.get(name) ?? '');
      if (passed !== expected) differences.push(`${name}: ${verb} ${path}: ${passed}`);
    }
  };
  expect(asked.length).toBeGreaterThan(3_000);
  await Promise.all(Array.from({ length: AT_A_TIME }, each));
  expect(differences).toEqual([]);
});
