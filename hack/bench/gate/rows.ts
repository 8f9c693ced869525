/** What a change is compared by: short loads that can be repeated on one server. */
import { must, type Client } from '../client.js';
import { createHttp2Client, getOverHttp2 } from '../http2client.js';
import { applyLoad } from '../load.js';
import { create, createConfigMap, createShared, nameOf, pathOf } from '../objects.js';
import { applyFields, patch, update } from '../rows/writes.js';
import { memberRows } from './members.js';
import type { GateRow } from './row.js';
import { watchRow } from './watches.js';

const CLIENTS = 32;
/** Of what all rows read. */
export const NAMESPACE = 'gate-1000';
export const OBJECTS = 1000;

interface RequestRow {
  readonly name: string;
  readonly clients: number;
  readonly operations: number;
  readonly warmUps?: number;
  readonly send: (client: Client, index: number) => Promise<number>;
}

const read =
  (pathFor: (index: number) => string, gzip = false) =>
  async (client: Client, index: number): Promise<number> =>
    (await must(client, { path: pathFor(index), gzip })).body.length;

const object = (index: number): string => pathOf(NAMESPACE, nameOf(index % OBJECTS));

/** The names are taken: 409. */
async function createAgain(client: Client, index: number): Promise<number> {
  const taken = index % OBJECTS;
  const answer = await create(client, NAMESPACE, taken).catch((error: Error) => error);
  if (!(answer instanceof Error && answer.message.includes(' 409 '))) throw new Error('expected a conflict');
  return 0;
}

const REQUESTS: readonly RequestRow[] = [
  { name: 'GET', clients: 16, operations: 8000, send: read(object) },
  {
    name: 'LIST pages of 100',
    clients: 4,
    operations: 600,
    send: read(() => `${pathOf(NAMESPACE)}?limit=100`),
  },
  { name: 'LIST 1,000, gzip', clients: 2, operations: 300, send: read(() => pathOf(NAMESPACE), true) },
  {
    name: 'create ConfigMap',
    clients: CLIENTS,
    operations: 1500,
    warmUps: 3,
    send: (client, index) => createConfigMap(client, NAMESPACE, index),
  },
  {
    name: 'create ConfigMap, 1 client',
    clients: 1,
    operations: 600,
    warmUps: 2,
    send: (client, index) => createConfigMap(client, NAMESPACE, 500_000 + index),
  },
  {
    name: 'create SharedSecret',
    clients: CLIENTS,
    operations: 1500,
    warmUps: 3,
    send: (client, index) => create(client, NAMESPACE, OBJECTS + index),
  },
  {
    name: 'create SharedSecret with an access rule',
    clients: CLIENTS,
    operations: 1500,
    warmUps: 3,
    send: (client, index) => createShared(client, NAMESPACE, 1_000_000 + index),
  },
  { name: 'create, refused', clients: CLIENTS, operations: 1500, warmUps: 2, send: createAgain },
  {
    name: 'GET and PUT',
    clients: CLIENTS,
    operations: 1500,
    warmUps: 3,
    send: (client, index) => update(client, NAMESPACE, index % OBJECTS, index),
  },
  {
    name: 'merge patch',
    clients: CLIENTS,
    operations: 1500,
    warmUps: 3,
    send: (client, index) => patch(client, NAMESPACE, index % OBJECTS, index),
  },
  {
    name: 'apply',
    clients: CLIENTS,
    operations: 1500,
    warmUps: 3,
    send: (client, index) => applyFields(client, NAMESPACE, index % OBJECTS, index),
  },
];

function requestRow({ name, clients, operations, warmUps = 1, send }: RequestRow): GateRow {
  // Never the same again: what is created is there.
  let from = 0;
  return {
    name,
    warmUps,
    prepare(subject) {
      const client = subject.client(clients);
      const count = Math.ceil(operations * subject.scale);
      return Promise.resolve({
        load() {
          const first = from;
          from += count;
          return applyLoad(clients, { operations: count, seconds: 30 }, (index) =>
            send(client, first + index),
          );
        },
        close: () => client.close(),
      });
    },
  };
}

const http2Get: GateRow = {
  name: 'GET over HTTP/2',
  warmUps: 1,
  prepare({ target, scale }) {
    const client = createHttp2Client(target.endpoint, 4);
    const get = (index: number): Promise<number> => getOverHttp2(client, object(index));
    const bounds = { operations: Math.ceil(8000 * scale), seconds: 30 };
    return Promise.resolve({ load: () => applyLoad(16, bounds, get), close: () => client.close() });
  },
};

export const GATE_ROWS: readonly GateRow[] = [
  ...REQUESTS.map(requestRow),
  ...memberRows,
  http2Get,
  watchRow({ name: '100 watches, 100 writes a second', watches: 100, pause: 10, http2: false }),
  watchRow({ name: '100 watches over HTTP/2, 100 writes a second', watches: 100, pause: 10, http2: true }),
  watchRow({ name: '500 watches, writes flat out', watches: 500, pause: 0, http2: false }),
];
