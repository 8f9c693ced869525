/** One run: clients and watchers work while faults are injected, and then the judges check the history. */
import { CONDITION_MS, eventually } from '../fixtures/wait.js';
import { randomNumbers } from '../fixtures/clients/random.js';
import { fetchFrom } from '../fixtures/servers/server.js';
import { expectNoErrors } from './faults/servers.js';
import { strikeAtRandom } from './faults/fault.js';
import { History, now, type ListRecord, type Violation } from './history/history.js';
import { KINDS, isOurs, shownObject, type Kind } from './history/kinds.js';
import { judge, type Judgement } from './judges/judge.js';
import { differences } from './judges/lists.js';
import type { System } from './systems/system.js';
import { RandomClient, type Workload } from './workload/client.js';
import { WATCH_MODES, Watcher } from './workload/watcher.js';

export interface RunOptions {
  readonly seconds: number;
  /** The seed of all random decisions. */
  readonly seed: number;
  /** The folder for files that explain findings. */
  readonly folder: string;
  /** The kinds of faults that are injected; absent: all. */
  readonly only?: RegExp;
}

export interface RunResult extends Judgement {
  readonly history: History;
  readonly relists: number;
}

/** Two of every five clients only read. */
const CLIENTS = 10;
/** The number of objects of each kind that are written at a time, and for how long, in ms. */
const NAMES = 3;
const EPOCH_MS = 6_000;
const LAST = 'of-last';

export async function run(system: System, { seconds, seed, folder, only }: RunOptions): Promise<RunResult> {
  const history = new History();
  const servers = system.urls;
  const numbers = (part: number): (() => number) => randomNumbers(seed * 1_000 + part);
  const began = performance.now();
  let givenUp = false;
  const isOver = (): boolean => givenUp || performance.now() - began > seconds * 1_000;
  const workload = workloadOf(history, servers, began, isOver);
  const watchers = watchersOf(history, servers, numbers, () => givenUp);
  const watching = watchers.map((watcher) => watcher.run());
  const clients = Array.from(
    { length: CLIENTS },
    (_, at) => new RandomClient(at, workload, numbers(at), at % 5 < 3 ? 'writer' : 'reader'),
  );
  const faults = system.faults.filter(({ kind }) => only?.test(kind) ?? true);
  const lanes: string[] = [...new Set(system.faults.map(({ lane }) => lane))];
  const random = (lane: string): (() => number) => numbers(900 + lanes.indexOf(lane));
  await Promise.all([
    ...clients.map((client) => client.run()),
    strikeAtRandom({ faults, history, random, isOver }),
  ]).catch((error: unknown) => {
    givenUp = true;
    throw error;
  });
  const late = await waitForWatchers(workload, watchers, numbers(CLIENTS)).finally(() => (givenUp = true));
  await Promise.all(watching);
  const lists = late.length > 0 ? [] : await lastLists(servers);
  history.lists.push(...lists);
  for (const server of system.servers) {
    expectNoErrors(server, { disorder: (text) => void history.disorders.push(text) });
    await server.stop().catch((error: unknown) => history.disorders.push(String(error)));
  }
  const judgement = await judge(history, folder);
  return {
    ...judgement,
    history,
    relists: watchers.reduce((sum, watcher) => sum + watcher.relists, 0),
    violations: [...judgement.violations, ...late, ...judgeFinalState(lists, judgement)],
  };
}

function workloadOf(
  history: History,
  servers: readonly string[],
  began: number,
  isOver: () => boolean,
): Workload {
  let values = 0;
  const names = (): string[] => {
    const epoch = Math.floor((performance.now() - began) / EPOCH_MS);
    return Array.from({ length: NAMES }, (_, at) => `of-${epoch}-${at}`);
  };
  return { history, servers, names, value: () => `w${(values += 1)}`, seen: new Map(), isOver };
}

function watchersOf(
  history: History,
  servers: readonly string[],
  numbers: (part: number) => () => number,
  isOver: () => boolean,
): Watcher[] {
  const all = KINDS.flatMap((kind) => WATCH_MODES.map((mode) => ({ kind, mode })));
  return all.map(
    ({ kind, mode }, number) =>
      new Watcher({
        number,
        mode,
        kind,
        history,
        servers,
        isOver,
        lastName: LAST,
        random: numbers(500 + number),
      }),
  );
}

/** Writes final objects, and waits until all watchers have seen them. */
async function waitForWatchers(
  workload: Workload,
  watchers: readonly Watcher[],
  random: () => number,
): Promise<Violation[]> {
  for (const kind of KINDS) await new RandomClient(CLIENTS, workload, random).finish(kind, LAST);
  const missing = (): readonly Watcher[] => watchers.filter(({ sawLast }) => !sawLast);
  await eventually('all watchers', async () => Promise.resolve(missing().length === 0)).catch(
    () => undefined,
  );
  return missing().map(({ options: { number, mode, kind } }) => ({
    judge: 'reliable',
    text: `${kind.name}, watcher ${number} (${mode}): has not seen the last write after ${Math.round(CONDITION_MS)} ms`,
  }));
}

/** The final objects of each server, from its store and from its cache. */
async function lastLists(servers: readonly string[]): Promise<ListRecord[]> {
  const lists = servers.flatMap((server) =>
    KINDS.flatMap((kind) => [false, true].map((stale) => lastList(server, kind, stale))),
  );
  return Promise.all(lists);
}

async function lastList(server: string, kind: Kind, stale: boolean): Promise<ListRecord> {
  const call = now();
  const { text } = await fetchFrom(`${server}${kind.collection}${stale ? '?resourceVersion=0' : ''}`);
  const { metadata, items } = JSON.parse(text) as {
    metadata: { resourceVersion: string };
    items: unknown[];
  };
  const revision = Number(metadata.resourceVersion);
  const shown = items.map(shownObject).filter(isOurs);
  return {
    client: CLIENTS,
    server,
    stale,
    call,
    return: now(),
    kind: kind.name,
    revision,
    items: shown,
  };
}

function judgeFinalState(lists: readonly ListRecord[], { revisions }: Judgement): Violation[] {
  return revisions.flatMap((each) => {
    const state = each.stateAt(Infinity);
    return lists
      .filter(({ kind }) => kind === each.kind)
      .flatMap(({ server, stale, items }) =>
        differences(items, state).map((fault): Violation => {
          const which = stale === true ? 'in its memory' : 'in its store';
          return {
            judge: 'final state',
            text: `the last list of ${each.kind} of ${server} ${which} ${fault}`,
          };
        }),
      );
  });
}
