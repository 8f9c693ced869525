/**
 * Two servers behind Kubernetes on one etcd, with requests to their own ports: what one server has returned, the other
 * one knows.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { startAggregated, startBeside, type AggregatedHost } from '../../fixtures/host/aggregatedhost.js';
import { made } from '../../fixtures/host/apiservice.js';
import { ours } from '../../fixtures/host/backends.js';
import { client } from '../../fixtures/clients/client.js';
import { ONE_RELEASE } from '../../fixtures/host/hostcluster.js';
import { lastLed, rolesOf } from '../../fixtures/servers/leadership.js';
import { writeAtRandom } from '../../fixtures/clients/randomwrites.js';
import { ADMIN_TOKEN, VIEWER_TOKEN, type Answer } from '../../fixtures/servers/server.js';
import type { ServerProcess } from '../../fixtures/servers/serverprocess.js';
import { eventually } from '../../fixtures/wait.js';
import { startFollower, stateOf, type WatchFollower } from '../../fixtures/clients/watchfollower.js';
import { versionsIn } from '../../fixtures/clients/watchstream.js';

const SECRETS = '/apis/management.svc.example/v1/namespaces/team/sharedsecrets';
const MERGE = { 'content-type': 'application/merge-patch+json' };
const ROUNDS = 24;
const LANES = 3;
const LEASE = '/apis/coordination.k8s.io/v1/namespaces/management-system/leases/management-controllers';

const versionOf = ({ text }: Answer): string | undefined => /"resourceVersion":"(\d+)"/.exec(text)?.[1];

describe.each(ONE_RELEASE)('two servers behind Kubernetes $release', (release) => {
  let aggregated: AggregatedHost;
  let servers: readonly [ServerProcess, ServerProcess];

  beforeAll(async () => {
    aggregated = await startAggregated(release, ours());
    servers = [aggregated.server, await startBeside(aggregated, ours())];
    await made(aggregated.host.api, '/api/v1/namespaces', { metadata: { name: 'team' } });
  });
  afterAll(async () => {
    await servers?.[1].kill();
    await aggregated?.stop();
  });

  /** Runs `round` repeatedly, some at a time, with the two servers in either order. */
  async function rounds(
    round: (one: ServerProcess, other: ServerProcess, name: string) => Promise<object>,
    expected: object,
  ): Promise<void> {
    const lane = async (which: number): Promise<void> => {
      for (let number = which; number < ROUNDS; number += LANES) {
        const [one, other] = number % 2 === 0 ? servers : [servers[1], servers[0]];
        expect([number, await round(one, other, `round-${number}`)]).toEqual([number, expected]);
      }
    };
    await Promise.all(Array.from({ length: LANES }, (_, which) => lane(which)));
  }

  /** The resourceVersions of an object in a GET and a LIST; undefined: the object does not exist. */
  async function shown(server: ServerProcess, name: string, token?: string): Promise<(string | undefined)[]> {
    const { send } = client(server, token);
    const [got, listed] = await Promise.all([send('GET', `${SECRETS}/${name}`), send('GET', SECRETS)]);
    const { items } = JSON.parse(listed.text) as {
      items: { metadata: { name: string; resourceVersion: string } }[];
    };
    const item = items.find(({ metadata }) => metadata.name === name);
    return [got.status === 200 ? versionOf(got) : undefined, item?.metadata.resourceVersion];
  }

  test('a write is in the next GET and LIST', async () => {
    await rounds(
      async (one, other, name) => {
        const { send } = client(one);
        const steps: [string, () => Promise<Answer>][] = [
          ['POST', () => send('POST', SECRETS, { metadata: { name }, spec: {} })],
          ['PATCH', () => send('PATCH', `${SECRETS}/${name}`, { spec: { displayName: 'Next' } }, MERGE)],
          ['DELETE', () => send('DELETE', `${SECRETS}/${name}`)],
        ];
        const outcomes: Record<string, unknown> = {};
        for (const [method, write] of steps) {
          const answer = await write();
          const version = method === 'DELETE' ? undefined : versionOf(answer);
          const seen = await shown(other, name);
          outcomes[method] = [answer.status, seen.map((each) => each === version)];
        }
        return outcomes;
      },
      { POST: [201, [true, true]], PATCH: [200, [true, true]], DELETE: [200, [true, true]] },
    );
  });

  test('a right that came with a write counts at once, and is gone within a second of its end', async () => {
    await rounds(
      async (one, other, name) => {
        const { send } = client(one);
        const access = [{ verbs: ['get'], users: ['viewer'] }];
        // The other server may have cached the decision.
        const before = await shown(other, name, VIEWER_TOKEN);
        const answer = await send('POST', SECRETS, { metadata: { name }, spec: { access } });
        const given = await shown(other, name, VIEWER_TOKEN);
        const version = versionOf(answer);
        const taken = await send('PATCH', `${SECRETS}/${name}`, { spec: { access: [] } }, MERGE);
        const isGone = async (): Promise<boolean> =>
          (await shown(other, name, VIEWER_TOKEN)).every((each) => each === undefined);
        await eventually('the end of the right', isGone);
        return {
          before,
          given: given.map((each) => each === version),
          status: [answer.status, taken.status],
        };
      },
      { before: [undefined, undefined], given: [true, true], status: [201, 200] },
    );
  });

  const holder = async (): Promise<string> => {
    const { text } = await aggregated.host.api.send('GET', LEASE);
    return (JSON.parse(text) as { spec?: { holderIdentity?: string } }).spec?.holderIdentity ?? '';
  };

  /** Resolves when the server is the leader and its controllers run: it deletes what is due for deletion. */
  async function takesOver(server: ServerProcess, former: string, waiting: string): Promise<void> {
    await eventually(
      'the next leader',
      async () => ![former, ''].includes(await holder()) && lastLed(server) === (await holder()),
    );
    const path = `${SECRETS}/${waiting}`;
    await eventually(
      'the work of a controller',
      async () => (await client(server).send('GET', path)).status === 404,
    );
  }
  /** Creates an object that a controller will delete after this time. */
  async function leaveBehind(server: ServerProcess, name: string, seconds: number): Promise<void> {
    const { send } = client(server);
    await made(client(server), SECRETS, { metadata: { name }, spec: {} });
    const body = { apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds: seconds };
    expect((await send('DELETE', `${SECRETS}/${name}`, body)).status).toBe(200);
    expect((await send('GET', `${SECRETS}/${name}`)).status).toBe(200);
  }

  /** Whether writers and watchers must stop. */
  let over = true;
  afterEach(() => {
    over = true;
  });

  test('when the leader is killed, watches go on at the other server, which takes over', async () => {
    over = false;
    const { leader, other, identity } = await rolesOf(servers, holder);
    await made(aggregated.host.api, '/api/v1/namespaces', { metadata: { name: 'watched' } });
    const path = SECRETS.replace('/team/', '/watched/');
    await made(client(other), path, { metadata: { name: 'hidden' }, spec: {} });
    let [server, writable] = [leader, servers as readonly ServerProcess[]];
    const follow = (token: string): Promise<WatchFollower> =>
      startFollower({ path, token, server: () => server, isOver: () => over });
    const [admin, viewer] = await Promise.all([follow(ADMIN_TOKEN), follow(VIEWER_TOKEN)]);
    const writes = [0, 0, 0];
    const more = (count: number): Promise<unknown> => {
      const until = writes.map((each) => each + count);
      const reached = (): boolean => until.every((each, seed) => (writes[seed] ?? 0) >= each);
      return eventually('more writes', () => Promise.resolve(reached()));
    };
    const access = [{ verbs: ['get'], users: ['viewer'] }];
    const writing = writes.map((_, seed) =>
      writeAtRandom({
        seed,
        collection: path,
        servers: () => writable,
        goesOn: (count) => ((writes[seed] = count), !over),
        body: (count) => ({ spec: { displayName: `Write ${count}`, access } }),
      }),
    );
    await more(20);
    // The leader responds to all requests that it has received, so all results are known.
    writable = [other];
    await more(2);
    await leaveBehind(leader, 'left', 5);
    server = other;
    await leader.kill();
    await more(20);
    over = true;
    const written = new Map((await Promise.all(writing)).flatMap((versions) => [...versions]));
    await Promise.all([admin.ended, viewer.ended]);
    expect(versionsIn(admin.events())).toEqual(written);
    expect(admin.lists()).toBe(0);
    // Watchers miss no event after their last list.
    for (const [name, versions] of versionsIn(viewer.events()))
      expect([name, written.get(name)?.slice(-versions.length)]).toEqual([name, versions]);
    expect(viewer.state()).toEqual((await stateOf(other, path, VIEWER_TOKEN)).state);
    expect([...viewer.state().keys(), 'hidden'].sort()).toEqual([
      ...(await stateOf(other, path)).state.keys(),
    ]);
    await takesOver(other, identity, 'left');
    await leader.start();
  });

  test('a leader that is stopped releases its lease, and the other server takes over', async () => {
    const { leader, other, identity } = await rolesOf(servers, holder);
    await leaveBehind(other, 'left-again', 3);
    expect(await leader.stop()).toBe(0);
    expect(await holder()).not.toBe(identity);
    await takesOver(other, identity, 'left-again');
  });
});
