/**
 * Packets are lost between a server and a member of etcd, or between that member and the others. The server continues
 * with another member within the expected time, and for as long as packets are lost.
 */
import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, test } from '@jest/globals';
import { client, type Client } from '../fixtures/clients/client.js';
import { readWatch } from '../fixtures/clients/watchreader.js';
import { ADMIN_TOKEN, startServer, type ServerFixture } from '../fixtures/servers/server.js';
import { makeNetwork, type NetworkHost, type TestNetwork } from '../fixtures/servers/testnetwork.js';
import { etcdIsThere, findProgram } from '../fixtures/stores/etcd.js';
import { startEtcdMembers, type EtcdMembers } from '../fixtures/stores/etcdmembers.js';
import { eventually } from '../fixtures/wait.js';

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const AUTHORIZATION = { authorization: `Bearer ${ADMIN_TOKEN}` };
const MEMBERS = 3;
/**
 * A watch of etcd that is silent for 5 s is reopened at another member, and an unanswered request is retried at another
 * member after half of that time.
 */
const IN_TIME_MS = 20_000;
const MAX_UNHEALTHY_MS = 60_000;

const network = makeNetwork(MEMBERS + 1);

/** A member that can be reached again needs a while to catch up. */
function areHealthy({ members }: EtcdMembers): boolean {
  const endpoints = members.map(({ endpoint }) => endpoint).join(',');
  const args = ['endpoint', 'health', `--endpoints=${endpoints}`, '--command-timeout=2s'];
  return spawnSync(findProgram('etcdctl') ?? '', args).status === 0;
}

const isOf =
  (name: string) =>
  (line: string): boolean =>
    (JSON.parse(line) as { object: { metadata: { name: string } } }).object.metadata.name === name;

type Cut = (network: TestNetwork, member: NetworkHost, server: NetworkHost) => readonly (() => void)[];

const cutFromOthers =
  (how: (network: TestNetwork, one: NetworkHost, other: NetworkHost) => () => void): Cut =>
  (network, member) =>
    membersOf(network)
      .filter((other) => other !== member)
      .map((other) => how(network, member, other));

const membersOf = ({ hosts }: TestNetwork): readonly NetworkHost[] => hosts.slice(0, MEMBERS);

const CUTS: readonly (readonly [string, Cut])[] = [
  ['a member is disconnected from all', ({ disconnect }, member) => [disconnect(member)]],
  ['a member does not reach the server, nor the server it', ({ separate }, ...ends) => [separate(...ends)]],
  ['requests to a member are lost', ({ dropPackets }, member, server) => [dropPackets(server, member)]],
  ['answers of a member are lost', ({ dropPackets }, member, server) => [dropPackets(member, server)]],
  ['a member is separated from the others', cutFromOthers(({ separate }, ...ends) => separate(...ends))],
  ['others do not hear a member', cutFromOthers(({ dropPackets }, ...ends) => dropPackets(...ends))],
];

function suite(network: TestNetwork): void {
  const host = network.hosts[MEMBERS]!;
  let etcd: EtcdMembers;
  let server: ServerFixture;
  let asking: Client;
  let created = 0;

  beforeAll(async () => {
    etcd = await startEtcdMembers(MEMBERS, membersOf(network));
    const etcdServers = etcd.members.map(({ endpoint }) => endpoint).join(',');
    server = await startServer({ host, etcdServers });
    asking = client(server);
  });
  afterAll(async () => {
    try {
      await server.remove();
      await etcd.stop();
    } finally {
      network.remove();
    }
  });

  /** Writes until it succeeds, reads the object, and expects an event on a watch that was opened before. */
  async function goesOn(cut: () => readonly (() => void)[]): Promise<void> {
    await eventually('all members', () => Promise.resolve(areHealthy(etcd)));
    const { text } = await asking.send('GET', CONFIGMAPS);
    const { metadata } = JSON.parse(text) as { metadata: { resourceVersion: string } };
    const url = `${server.url}${CONFIGMAPS}?watch=1&resourceVersion=${metadata.resourceVersion}`;
    const seen: string[] = [];
    const watch = await readWatch(url, AUTHORIZATION, (line) => void seen.push(line));
    const heals = cut();
    try {
      const name = await eventually('a write', () => create());
      await eventually('a read', () => isThere(name));
      await eventually('an event', () => Promise.resolve(seen.some(isOf(name))));
    } finally {
      for (const heal of heals) heal();
      watch.stop();
    }
  }

  async function create(): Promise<string | undefined> {
    const name = `of-${(created += 1)}`;
    const { status } = await asking.send('POST', CONFIGMAPS, { metadata: { name } });
    return status === 201 ? name : undefined;
  }

  const isThere = async (name: string): Promise<boolean> =>
    (await asking.send('GET', `${CONFIGMAPS}/${name}`)).status === 200;

  // The server uses one of the members, and switches to another.
  const numbers = Array.from({ length: MEMBERS }, (_, at) => at).reverse();

  test.each(CUTS)(
    '%s: the server goes on, whichever it is',
    async (_title, cut) => {
      for (const number of numbers) await goesOn(() => cut(network, network.hosts[number]!, host));
    },
    MEMBERS * (MAX_UNHEALTHY_MS + 2 * IN_TIME_MS),
  );

  test(
    'a member is killed while it is disconnected, and is there again: the server goes on',
    async () => {
      for (const number of numbers) {
        const member = network.hosts[number]!;
        const killed = etcd.members[number]!;
        let back = Promise.resolve();
        await goesOn(() => {
          const heal = network.disconnect(member);
          back = killed.kill().then(() => {
            heal();
            return killed.restart();
          });
          return [heal];
        });
        await back;
      }
    },
    MEMBERS * (MAX_UNHEALTHY_MS + 2 * IN_TIME_MS),
  );
}

if ('hindrance' in network)
  test.skip(`partitions between a server and etcd: SKIPPED: ${network.hindrance}`, () => undefined);
else (etcdIsThere() ? describe : describe.skip)('a server and three members of etcd', () => suite(network));
