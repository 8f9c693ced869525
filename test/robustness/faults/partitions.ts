/** Packets that are lost between the members of etcd, servers and clients, each of which is in a network namespace. */
import type { Heal } from '../../fixtures/servers/countedcuts.js';
import type { NetworkEnd, NetworkHost, TestNetwork } from '../../fixtures/servers/testnetwork.js';
import { delay, type Fault } from './fault.js';

export interface Partitioned {
  readonly network: TestNetwork;
  readonly members: readonly NetworkHost[];
  readonly servers: readonly NetworkHost[];
}

const LEAST_MS = 200;
const MAX_MS = 4_000;

/** A cut, with its description for the report, and a function that heals it. */
interface Cut {
  readonly what: string;
  readonly heals: readonly Heal[];
}

type MakeCut = (partitioned: Partitioned, random: () => number) => Cut;

/** Cuts between members. Each lane of faults makes other cuts, and heals only its own. */
const MEMBER_CUTS: Readonly<Record<string, MakeCut>> = {
  'disconnect member': ({ network, members }, random) => {
    const { chosen, number } = choose(members, random);
    return { what: `${number}`, heals: [network.disconnect(chosen)] };
  },
  'separate members': ({ network, members }, random) => {
    const [one, other] = chooseTwo(members, random);
    return { what: `${one.number} and ${other.number}`, heals: [network.separate(one.chosen, other.chosen)] };
  },
  'drop member packets': ({ network, members }, random) => {
    const [one, other] = chooseTwo(members, random);
    return {
      what: `${one.number} to ${other.number}`,
      heals: [network.dropPackets(one.chosen, other.chosen)],
    };
  },
};

/** Cuts between a server and the members. A disconnected server has no clients either. */
const SERVER_CUTS: Readonly<Record<string, MakeCut>> = {
  'disconnect server': ({ network, servers }, random) => {
    const { chosen, number } = choose(servers, random);
    return { what: `${number}`, heals: [network.disconnect(chosen)] };
  },
  'separate server': ({ network, servers, members }, random) => {
    const { chosen, number } = choose(servers, random);
    const from = oneOrAll(members, random);
    const heals = from.members.map((member) => network.separate(chosen, member));
    return { what: `${number} from ${from.name}`, heals };
  },
  'drop server packets': ({ network, servers, members }, random) => {
    const { chosen, number } = choose(servers, random);
    const other = oneOrAll(members, random);
    const back = random() < 0.5;
    const heals = other.members.map((member) => dropOneWay(network, chosen, member, back));
    return { what: back ? `${other.name} to ${number}` : `${number} to ${other.name}`, heals };
  },
};

/** Cuts between clients and a server that can reach the members. */
const CLIENT_CUTS: Readonly<Record<string, MakeCut>> = {
  'separate clients': ({ network, servers }, random) => {
    const { chosen, number } = choose(servers, random);
    return { what: `from ${number}`, heals: [network.separate(network.machine, chosen)] };
  },
  'drop client packets': ({ network, servers }, random) => {
    const { chosen, number } = choose(servers, random);
    const back = random() < 0.5;
    const heals = [dropOneWay(network, network.machine, chosen, back)];
    return { what: back ? `${number} to clients` : `clients to ${number}`, heals };
  },
};

const LANES = { etcd: MEMBER_CUTS, network: SERVER_CUTS, clients: CLIENT_CUTS };

/** The kinds, for a report that they are left out. */
export const PARTITION_KINDS = Object.values(LANES).flatMap((kinds) => Object.keys(kinds));

/** Each lasts for a while; connections stay open. */
export const partitionFaults = (partitioned: Partitioned): Fault[] =>
  Object.entries(LANES).flatMap(([lane, kinds]) =>
    Object.entries(kinds).map(([kind, cut]) => ({
      kind,
      lane,
      async strike({ random }) {
        const { what, heals } = cut(partitioned, random);
        const ms = LEAST_MS + random() * (MAX_MS - LEAST_MS);
        await delay(ms).finally(() => heals.forEach((heal) => heal()));
        return `${what} for ${Math.round(ms)} ms`;
      },
    })),
  );

interface Chosen {
  readonly chosen: NetworkHost;
  readonly number: number;
}

function choose(hosts: readonly NetworkHost[], random: () => number): Chosen {
  const number = Math.floor(random() * hosts.length);
  return { chosen: hosts[number] as NetworkHost, number };
}

function chooseTwo(hosts: readonly NetworkHost[], random: () => number): [Chosen, Chosen] {
  const one = choose(hosts, random);
  const number = (one.number + 1 + Math.floor(random() * (hosts.length - 1))) % hosts.length;
  return [one, { chosen: hosts[number] as NetworkHost, number }];
}

interface Members {
  readonly name: string;
  readonly members: readonly NetworkHost[];
}

function oneOrAll(members: readonly NetworkHost[], random: () => number): Members {
  if (random() < 0.5) return { name: 'all members', members };
  const { chosen, number } = choose(members, random);
  return { name: `member ${number}`, members: [chosen] };
}

const dropOneWay = (network: TestNetwork, one: NetworkEnd, other: NetworkEnd, back: boolean): Heal =>
  back ? network.dropPackets(other, one) : network.dropPackets(one, other);
