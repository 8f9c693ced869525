/** A flipped bit in the file of an embedded store. */
import { copyFileSync, cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { prefixEnd } from '../../../pkg/storage/interface.js';
import { readEmbedded } from '../../../pkg/storage/embedded/readonly.js';
import { fetchFrom, startServer, type Answer, type ServerFixture } from '../../fixtures/servers/server.js';
import { now } from '../history/history.js';
import { isOurs, KINDS, shownObject, type Kind, type KindName } from '../history/kinds.js';
import type { Fault, Strike } from './fault.js';
import { expectNoErrors, restarted } from './servers.js';
import { overwrite, refusalOf, usedBytes } from './storefile.js';

/** The server refuses to start, as a record that it needs, or the file, is damaged. */
const REFUSAL = /^management-apiserver: [^\n]*(damaged|cut short)[^\n]*\n+ended with 1$/;
/** The number of a client that does not exist. */
const READER = -1;
/** The prefix of objects that are not encrypted. */
const OBJECTS = 'registry/core/configmaps/default/of-';
const LEFT_OUT = /cannot be read and (is|are) left out/;

/** The fault, and a function that stops the server that it uses. */
export interface BitFlips {
  readonly fault: Fault;
  remove(): Promise<void>;
}

/**
 * The server is killed and restarted. A bit is flipped in a copy of its store, and another server of the same build
 * reads that copy. That server either refuses to start with one line, and serves everything after the file is restored;
 * or each object is unchanged, or its GET is a 500 that reports the damage. An object that is silently missing counts
 * as lost.
 */
export function bitFlips(server: ServerFixture, dataDir: string, dist: string | undefined): BitFlips {
  let starting: Promise<ServerFixture> | undefined;
  const other = (): Promise<ServerFixture> =>
    (starting ??= startServer({ ...(dist !== undefined && { dist }) }));
  return {
    fault: {
      kind: 'flip bit',
      lane: 'servers',
      async strike(strike) {
        const copy = await other();
        await copy.kill();
        await server.kill();
        expectNoErrors(server, strike);
        const copied = join(copy.directory, 'data');
        for (const old of [copied, copy.kubeconfig]) rmSync(old, { recursive: true, force: true });
        cpSync(dataDir, copied, { recursive: true, filter: (name) => !name.endsWith('.sock') });
        const starts = await restarted(server, strike);
        const contents = await contentsOf(join(copied, 'store'));
        const file = join(copied, 'store', 'data.mdb');
        const whole = join(copy.directory, 'whole.mdb');
        copyFileSync(file, whole);
        const at = flip(file, contents.values, strike);
        const refusal = await refusalOf(copy);
        if (refusal !== undefined) {
          if (!REFUSAL.test(refusal))
            strike.disorder(`a server whose file has a flipped bit at ${at} says: ${refusal}`);
          await copy.kill();
          copyFileSync(whole, file);
          const still = await refusalOf(copy);
          if (still !== undefined) strike.disorder(`a server that has its file again says: ${still}`);
        }
        // Records that are no objects cannot be read here either.
        const notRead = (error: unknown): void =>
          strike.disorder(`a damaged store is served: ${String(error)}`);
        const isWhole = refusal !== undefined;
        for (const kind of KINDS)
          await read({ server: copy.url, kind, contents, isWhole }, strike).catch(notRead);
        await copy.kill();
        return `at ${at}: ${isWhole ? 'refused, and served from the file as it was' : 'served'} ${starts}`;
      },
    },
    remove: async () => (await starting?.catch(() => undefined))?.remove(),
  };
}

/** The content of a store before its bit is flipped. */
interface Contents {
  readonly revision: number;
  /** Values of objects of the run, as they are stored in the file. */
  readonly values: readonly Buffer[];
  /** The names of the objects of the run, by their kind. */
  readonly names: ReadonlyMap<KindName, readonly string[]>;
}

async function contentsOf(store: string): Promise<Contents> {
  const engine = await readEmbedded(store);
  if (engine === undefined) throw new Error(`no store in ${store}`);
  try {
    const names = new Map<KindName, readonly string[]>();
    for (const { name, stored } of KINDS) {
      const start = `${stored}default/`;
      const { records } = await engine.scan({ start: `${start}of-`, end: prefixEnd(`${start}of-`) });
      names.set(
        name,
        records.map(({ key }) => key.slice(start.length)),
      );
    }
    const { revision, records } = await engine.scan({ start: OBJECTS, end: prefixEnd(OBJECTS) });
    return { revision, values: records.map(({ value }) => value), names };
  } finally {
    await engine.close();
  }
}

/**
 * Flips a bit, and returns its position. One of two flips is in a stored value, in each page that contains it; the
 * others may be anywhere.
 */
function flip(file: string, values: readonly Buffer[], { random }: Strike): number {
  const bytes = readFileSync(file);
  const bit = 1 << Math.floor(random() * 8);
  const value = random() < 0.5 ? values[Math.floor(random() * values.length)] : undefined;
  const within = Math.floor(random() * (value?.length ?? 0));
  const found: number[] = [];
  if (value !== undefined)
    for (let at = bytes.indexOf(value); at >= 0; at = bytes.indexOf(value, at + 1)) found.push(at + within);
  if (found.length === 0) found.push(Math.floor(random() * usedBytes(file)));
  for (const at of found) overwrite(file, at, Buffer.of((bytes[at] ?? 0) ^ bit));
  return found[0] ?? 0;
}

/** What is read from a server. */
interface Reading {
  readonly server: string;
  readonly kind: Kind;
  readonly contents: Contents;
  /** Whether the file is undamaged, so that nothing may be missing. */
  readonly isWhole: boolean;
}

/**
 * Records the objects of a kind that the server returns. All are from the revision of the contents, or from before it.
 */
async function read({ server, kind, contents, isWhole }: Reading, strike: Strike): Promise<void> {
  const { history } = strike;
  const call = now();
  const list = await fetchFrom(`${server}${kind.collection}`);
  if (list.status !== 200) return strike.disorder(`a list of a damaged store: ${textOf(list)}`);
  const { items } = JSON.parse(list.text) as { items: unknown[] };
  const shown = items.map(shownObject).filter(isOurs);
  const common = { client: READER, server, kind: kind.name, stale: true, call } as const;
  const there = new Set(contents.names.get(kind.name));
  const lost = (names: readonly string[]): void =>
    strike.disorder(`${kind.name} that were there are lost, and nothing is said: ${names.join(', ')}`);
  // A list that omits damaged objects has a warning. Otherwise it is complete, and a few objects are compared with
  // their GET.
  const isAll = !LEFT_OUT.test(String(list.headers.warning));
  if (!isAll && isWhole) strike.disorder(`a store that is whole leaves out: ${String(list.headers.warning)}`);
  if (isAll) {
    history.lists.push({ ...common, return: now(), revision: contents.revision, items: shown });
    const listed = new Set(shown.map(({ name }) => name));
    const missing = [...there].filter((name) => !listed.has(name));
    if (missing.length > 0) lost(missing);
  }
  const written = history.requests.filter((one) => one.kind === kind.name).map(({ name }) => name);
  const names = isAll ? shown.slice(0, 5).map(({ name }) => name) : new Set([...there, ...written]);
  for (const name of names) {
    const found = await fetchFrom(`${server}${kind.collection}/${name}`);
    if (found.status === 200) {
      const object = shownObject(JSON.parse(found.text));
      const told = { operation: 'get', outcome: 'ok', shown: object } as const;
      history.requests.push({ ...common, ...told, name, return: now() });
    } else if (found.status === 404) {
      if (there.has(name)) lost([name]);
    } else if (isWhole || found.status !== 500 || !found.text.includes('cannot be read'))
      strike.disorder(`a GET of a damaged store: ${textOf(found)}`);
  }
}

const textOf = ({ status, text }: Answer): string => `${status} ${text.slice(0, 300)}`;
