/** A client that reads and writes a few objects at random, one request after the other, and records the responses. */
import { Agent } from 'node:https';
import { fetchFrom, type Answer } from '../../fixtures/servers/server.js';
import {
  now,
  type Fields,
  type History,
  type Outcome,
  type RequestRecord,
  type ShownObject,
} from '../history/history.js';
import { KINDS, isOurs, shownObject, type Kind } from '../history/kinds.js';

/** The state that the clients of a run share. */
export interface Workload {
  readonly history: History;
  /** The URL of each server. */
  readonly servers: readonly string[];
  /** The names that are written now. */
  names(): readonly string[];
  /** Returns a unique value. */
  value(): string;
  /** The newest version that any client saw of an object, by `kind/name`. */
  readonly seen: Map<string, ShownObject>;
  isOver(): boolean;
}

/** The timeout of a request, in ms. The result of a request that times out is unknown. */
const REQUEST_TIMEOUT_MS = 2_500;
/** The mean time between two requests of a client, in ms. */
const PAUSE_MS = 12;
const AFTER_FAILURE_MS = 40;
const FIELDS = ['a', 'b', 'c', 'd'];
const MERGE = { 'content-type': 'application/merge-patch+json' };
const JSON_TYPE = { 'content-type': 'application/json' };
/** The relative frequencies of the actions. */
const WEIGHTS: readonly (readonly [Action, number])[] = [
  ['create', 18],
  ['update', 14],
  ['replace', 5],
  ['patch', 24],
  ['patchVersion', 5],
  ['delete', 7],
  ['deleteVersion', 6],
  ['get', 24],
  ['getStale', 4],
  ['list', 7],
  ['listStale', 3],
];
/**
 * The share of a client's requests that go to its preferred server, so that a server that is cut off does not block all
 * clients.
 */
const LOYALTY = 0.9;

type Action =
  | 'create'
  | 'update'
  | 'replace'
  | 'patch'
  | 'patchVersion'
  | 'delete'
  | 'deleteVersion'
  | 'get'
  | 'getStale'
  | 'list'
  | 'listStale';

/** The weights of a client that writes, and of one that only reads, and so is never blocked by a write. */
const WEIGHTS_OF: Readonly<Record<Role, typeof WEIGHTS>> = {
  writer: WEIGHTS,
  reader: WEIGHTS.filter(([action]) => action.startsWith('get') || action.startsWith('list')),
};

export type Role = 'writer' | 'reader';

/** The request for one object. */
type Asked = Pick<RequestRecord, 'operation' | 'fields' | 'ifRevision' | 'ifUID' | 'stale'>;

export class RandomClient {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(
    readonly number: number,
    private readonly workload: Workload,
    private readonly random: () => number,
    private readonly role: Role = 'writer',
  ) {}

  /** Resolves when the run is over. */
  async run(): Promise<void> {
    while (!this.workload.isOver()) {
      const answered = await this.act();
      if (answered) this.workload.history.answered += 1;
      const pause = this.random() * 2 * PAUSE_MS + (answered ? 0 : AFTER_FAILURE_MS);
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
    this.agent.destroy();
  }

  /** Writes one object, and retries failed writes, so that every earlier change is followed by another one. */
  async finish(kind: Kind, name: string): Promise<void> {
    const asked: Asked = { operation: 'create', fields: { a: this.workload.value() } };
    while (!['ok', 'exists'].includes(await this.ask(this.server(), kind, name, asked)))
      await new Promise((resolve) => setTimeout(resolve, AFTER_FAILURE_MS));
    this.agent.destroy();
  }

  private pick<T>(all: readonly T[]): T {
    return all[Math.floor(this.random() * all.length)] as T;
  }

  private server(): string {
    const { servers } = this.workload;
    const own = servers[this.number % servers.length] as string;
    return this.random() < LOYALTY ? own : this.pick(servers);
  }

  private action(): Action {
    const weights = WEIGHTS_OF[this.role];
    let left = this.random() * weights.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [action, weight] of weights) if ((left -= weight) < 0) return action;
    return 'get';
  }

  /** Returns whether there was a response. */
  private async act(): Promise<boolean> {
    const kind = this.pick(KINDS);
    const server = this.server();
    const action = this.action();
    if (action === 'list' || action === 'listStale') return this.list(server, kind, action === 'listStale');
    // The clients write to the first of the objects most often, so that their writes conflict.
    const names = this.workload.names();
    const name = this.random() < 0.4 ? (names[0] as string) : this.pick(names);
    const outcome = await this.ask(server, kind, name, this.asked(action, kind, name));
    return outcome !== 'refused' && outcome !== 'unknown';
  }

  private asked(action: Exclude<Action, 'list' | 'listStale'>, kind: Kind, name: string): Asked {
    const seen = this.workload.seen.get(`${kind.name}/${name}`);
    const ifRevision = seen?.revision ?? 1_000_000_000;
    const one = (): Fields => ({ [this.pick(FIELDS)]: this.workload.value() });
    switch (action) {
      case 'create':
        return { operation: 'create', fields: { ...one(), ...one() } };
      case 'update':
        return { operation: 'update', fields: { ...one(), ...one() }, ifRevision };
      case 'replace':
        return { operation: 'update', fields: one(), ...(!kind.unconditionalUpdate && { ifRevision }) };
      case 'patch':
        return { operation: 'patch', fields: one() };
      case 'patchVersion':
        return { operation: 'patch', fields: one(), ifRevision };
      case 'delete':
        return { operation: 'delete' };
      case 'deleteVersion':
        return seen !== undefined && this.random() < 0.3
          ? { operation: 'delete', ifUID: seen.uid }
          : { operation: 'delete', ifRevision };
      case 'get':
        return { operation: 'get' };
      case 'getStale':
        return { operation: 'get', stale: true };
    }
  }

  private async ask(server: string, kind: Kind, name: string, asked: Asked): Promise<Outcome> {
    const { method, path, body, headers } = httpOf(kind, name, asked);
    const call = now();
    const answer = await this.send(`${server}${path}`, method, body, headers);
    const told = outcomeOf(asked, answer);
    const end = now();
    if (told.outcome === undefined) {
      this.workload.history.disorders.push(`${method} ${path} ${body ?? ''}: ${textOf(answer)}`);
      return 'unknown';
    }
    // A failed read gives no information.
    const { outcome } = told;
    if (asked.operation === 'get' && (outcome === 'unknown' || outcome === 'refused')) return outcome;
    const { number: client } = this;
    const record = { client, server, kind: kind.name, name, ...asked, call, return: end, ...told, outcome };
    this.workload.history.requests.push(record);
    if (told.shown !== undefined && asked.stale !== true) this.note(kind, told.shown);
    return outcome;
  }

  private note(kind: Kind, shown: ShownObject): void {
    const key = `${kind.name}/${shown.name}`;
    const known = this.workload.seen.get(key);
    if (known === undefined || known.revision < shown.revision) this.workload.seen.set(key, shown);
  }

  private async list(server: string, kind: Kind, stale: boolean): Promise<boolean> {
    const call = now();
    const path = `${kind.collection}${stale ? '?resourceVersion=0' : ''}`;
    const answer = await this.send(`${server}${path}`, 'GET');
    if (answer === undefined || 'error' in answer || answer.status >= 429) return false;
    const end = now();
    const { history } = this.workload;
    if (answer.status !== 200) {
      history.disorders.push(`GET ${path}: ${textOf(answer)}`);
      return true;
    }
    const list = JSON.parse(answer.text) as { metadata: { resourceVersion: string }; items: unknown[] };
    const items = list.items.map(shownObject).filter(isOurs);
    const revision = Number(list.metadata.resourceVersion);
    const { number: client } = this;
    history.lists.push({ client, server, kind: kind.name, call, return: end, stale, revision, items });
    return true;
  }

  private async send(
    url: string,
    method: string,
    body?: string,
    headers: Record<string, string> = {},
  ): Promise<Answer | Failure> {
    const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
    return fetchFrom(url, { method, body, headers, agent: this.agent, signal }).catch((error: unknown) => ({
      error: error as NodeJS.ErrnoException,
    }));
  }
}

interface Failure {
  readonly error: NodeJS.ErrnoException;
}

interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  readonly headers?: Record<string, string>;
}

function httpOf(
  kind: Kind,
  name: string,
  { operation, fields, ifRevision, ifUID, stale }: Asked,
): HttpRequest {
  const path = `${kind.collection}/${name}`;
  const resourceVersion = ifRevision === undefined ? undefined : String(ifRevision);
  const object = { metadata: { name, resourceVersion }, ...kind.body(fields ?? {}) };
  const body = JSON.stringify(object);
  switch (operation) {
    case 'create':
      return { method: 'POST', path: kind.collection, body, headers: JSON_TYPE };
    case 'update':
      return { method: 'PUT', path, body, headers: JSON_TYPE };
    case 'patch':
      return { method: 'PATCH', path, body, headers: MERGE };
    case 'delete': {
      const preconditions = { resourceVersion, uid: ifUID };
      if (resourceVersion === undefined && ifUID === undefined) return { method: 'DELETE', path };
      return { method: 'DELETE', path, body: JSON.stringify({ preconditions }), headers: JSON_TYPE };
    }
    case 'get':
      return { method: 'GET', path: stale === true ? `${path}?resourceVersion=0` : path };
  }
}

interface Told {
  /** Undefined: the response is unexpected. */
  readonly outcome: Outcome | undefined;
  readonly shown?: ShownObject;
  readonly uid?: string;
}

function outcomeOf(asked: Asked, answer: Answer | Failure): Told {
  // Without a connection, nothing was sent.
  if ('error' in answer) return { outcome: answer.error.code === 'ECONNREFUSED' ? 'refused' : 'unknown' };
  const { status, text } = answer;
  if (status === 429) return { outcome: 'refused' };
  if (status >= 500) return { outcome: 'unknown' };
  if (status === 200 || status === 201) {
    const object: unknown = JSON.parse(text);
    if (asked.operation !== 'delete') return { outcome: 'ok', shown: shownObject(object) };
    return { outcome: 'ok', uid: (object as { details: { uid: string } }).details.uid };
  }
  return { outcome: refusalOf(asked, status, text) };
}

function refusalOf(
  { operation, ifRevision, ifUID }: Asked,
  status: number,
  text: string,
): Outcome | undefined {
  const { reason } = JSON.parse(text) as { reason?: string };
  if (status === 404 && reason === 'NotFound') return operation === 'create' ? undefined : 'absent';
  if (status !== 409) return undefined;
  if (operation === 'create') return reason === 'AlreadyExists' ? 'exists' : undefined;
  // Without a precondition, the server gave up its own retries.
  return ifRevision === undefined && ifUID === undefined ? 'refused' : 'conflict';
}

const textOf = (answer: Answer | Failure): string =>
  'error' in answer ? String(answer.error) : `${answer.status} ${answer.text.slice(0, 300)}`;
