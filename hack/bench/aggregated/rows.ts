import { must, type Client } from '../client.js';
import { createFanout, openWatches } from '../fanout.js';
import { applyLoad, type Load } from '../load.js';
import { nameOf } from '../objects.js';
import type { Measured } from '../rows/row.js';
import type { Objects, Subject } from './subject.js';

/** What rows need of the run. */
export interface Course {
  readonly subject: Subject;
  /** From 0; each measures the same again. */
  readonly round: number;
  readonly quick: boolean;
  /** Of kube-apiserver. */
  client(connections: number): Client;
  /** Takes down what the server itself used while `load` runs. */
  measure(load: () => Promise<Load>): Promise<Measured>;
}

export interface AggregatedRow {
  readonly name: string;
  run(course: Course): Promise<Measured>;
}

const LISTED = 1000;
export const LISTED_NAMESPACE = 'listed';
export const CREATED_NAMESPACE = 'created';
export const WATCHED_NAMESPACE = 'watched';
const WATCHED = 10;
const READERS = 16;
const LISTERS = 2;
const WRITERS = 32;
/**
 * Behind an aggregator V8 is done with the path of a write after about ten thousand: the first five thousand creates cost our
 * server twice what those after the tenth cost. Later rounds are warm.
 */
export const WARM_UP = 10_000;
/** From where on objects that warm up are numbered, away from those of all rounds. */
const WARM_UP_FROM = 200_000;
/** Of what each write sends to the watches. */
const FANOUT_WARM_UP = 150;

async function create(client: Client, objects: Objects, namespace: string, index: number): Promise<number> {
  const body = objects.body(namespace, nameOf(index), index);
  return (await must(client, { method: 'POST', path: objects.collection(namespace), body })).body.length;
}

/** Makes what is read and watched. */
export async function prepare(subject: Subject, client: Client): Promise<void> {
  for (const [namespace, operations] of [
    [LISTED_NAMESPACE, LISTED],
    [WATCHED_NAMESPACE, WATCHED],
  ] as const)
    await applyLoad(8, { operations, seconds: 300 }, (index) =>
      create(client, subject.objects, namespace, index),
    );
}

function reads(
  name: string,
  workers: number,
  pathOf: (subject: Subject, index: number) => string,
): AggregatedRow {
  return {
    name,
    async run(course) {
      const client = course.client(workers);
      const seconds = course.quick ? 1.5 : 5;
      const read = async (index: number): Promise<number> =>
        (await must(client, { path: pathOf(course.subject, index) })).body.length;
      await applyLoad(workers, { operations: 3000, seconds: seconds / 2 }, read);
      const measured = await course.measure(() => applyLoad(workers, { operations: 50_000, seconds }, read));
      client.close();
      return measured;
    },
  };
}

function creates(name: string, kind: 'plain' | 'objects'): AggregatedRow {
  return {
    name,
    async run(course) {
      const client = course.client(WRITERS);
      const namespace = CREATED_NAMESPACE;
      const count = course.quick ? 500 : 1500;
      const load = (operations: number, from: number): Promise<Load> =>
        applyLoad(WRITERS, { operations, seconds: 60 }, (index) =>
          create(client, course.subject[kind], namespace, from + index),
        );
      // Names of the rows and the rounds are apart.
      const from = (kind === 'plain' ? 0 : 500_000) + course.round * 10_000;
      if (course.round === 0) await load(WARM_UP, from + WARM_UP_FROM);
      const measured = await course.measure(() => load(count, from));
      client.close();
      return measured;
    },
  };
}

/** Numbers of changes, so that none repeats another: of the row, the round and what comes before it is measured. */
const PATCHES = { patch: 100_000, fanout: 500_000 } as const;

async function patchOne(
  { subject }: Course,
  writer: Client,
  namespace: string,
  { at, change }: { readonly at: number; readonly change: number },
): Promise<number> {
  const path = `${subject.objects.collection(namespace)}/${nameOf(at)}`;
  const contentType = 'application/merge-patch+json';
  const body = subject.change(change);
  return (await must(writer, { method: 'PATCH', path, contentType, body })).body.length;
}

/** Each of an object that no other client changes at the time. */
const patches: AggregatedRow = {
  name: `merge patch, ${WRITERS} clients`,
  async run(course) {
    const client = course.client(WRITERS);
    const load = (operations: number, from: number): Promise<Load> =>
      applyLoad(WRITERS, { operations, seconds: 60 }, (index) =>
        patchOne(course, client, LISTED_NAMESPACE, { at: index % LISTED, change: from + index }),
      );
    const from = PATCHES.patch + course.round * 10_000;
    if (course.round === 0) await load(WARM_UP, from + 5000);
    const measured = await course.measure(() => load(course.quick ? 500 : 1500, from));
    client.close();
    return measured;
  },
};

function fanout(watches: number): AggregatedRow {
  return {
    name: `one write to ${watches} watches`,
    async run(course) {
      const { subject, quick, round, client, measure } = course;
      const [watching, writer] = [client(watches), client(1)];
      const collection = subject.objects.collection(WATCHED_NAMESPACE);
      const seen = createFanout();
      const from = PATCHES.fanout + watches * 1000 + round * 10_000;
      const patch = (index: number): Promise<number> =>
        patchOne(course, writer, WATCHED_NAMESPACE, { at: index % WATCHED, change: from + index });
      if (round === 0) await applyLoad(WATCHED, { operations: WARM_UP, seconds: 60 }, patch);
      const streams = await openWatches(watching, collection, watches, seen.arrived);
      const write = async (index: number): Promise<number> => {
        const everywhere = seen.expect(watches);
        const size = await patch(WARM_UP + index);
        await everywhere;
        return size;
      };
      await applyLoad(1, { operations: FANOUT_WARM_UP, seconds: 20 }, write);
      const bounds = { operations: quick ? 60 : 250, seconds: 20 };
      const measured = await measure(() => applyLoad(1, bounds, (index) => write(FANOUT_WARM_UP + index)));
      for (const stream of streams) stream.destroy();
      watching.close();
      writer.close();
      return measured;
    },
  };
}

export const AGGREGATED_ROWS: readonly AggregatedRow[] = [
  creates('create, 32 clients', 'plain'),
  creates('create SharedSecret, 32 clients', 'objects'),
  patches,
  fanout(100),
  fanout(500),
  reads('GET', READERS, ({ objects }, index) => {
    return `${objects.collection(LISTED_NAMESPACE)}/${nameOf(index % LISTED)}`;
  }),
  reads('LIST 1,000', LISTERS, ({ objects }) => objects.collection(LISTED_NAMESPACE)),
];
