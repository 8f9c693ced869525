/**
 * What the tests of the cache share: two stored resources, two that follow from things, short ways to write, and a
 * subscriber that remembers.
 */
import type {
  CacheEvent,
  Derivation,
  DerivedForm,
  Entry,
  ResourceSource,
  Subscriber,
  Subscription,
  TooOld,
} from '../interface.js';
import type { Write } from '../../storage/interface.js';

const HEAD = '{"kind":"Thing","apiVersion":"test/v1","metadata":{';

function decode(value: Buffer, revision: number): Buffer {
  const stored = value.toString();
  if (!stored.startsWith(HEAD)) throw new Error('not a record');
  return Buffer.from(`${HEAD}"resourceVersion":"${revision}",${stored.slice(HEAD.length)}`);
}

const formOf = (plural: string): DerivedForm => ({
  resource: `test/${plural}`,
  encode: (content, { namespace, name }, revision) =>
    Buffer.from(record(`${namespace}/${name}`, { by: plural, content }, revision)),
});

/** A thing with `casts` has a shadow and a mark for each, whose content is the thing's `look`. */
const derivation: Derivation = {
  forms: ['shadows', 'marks'].map(formOf),
  owns: (name) => name.startsWith('of:'),
  beginning: ({ name }) => `of:${name}:`,
  read(entry) {
    const { casts, look } = entry.object() as unknown as { casts?: string[]; look?: string };
    return casts && { names: casts.map((cast) => `of:${entry.name}:${cast}`), content: String(look) };
  },
};

export const SOURCES: readonly ResourceSource[] = ['things', 'others', 'shadows', 'marks'].map((plural) => ({
  resource: `test/${plural}`,
  prefix: `registry/test/${plural}/`,
  namespaced: true,
  decode,
  ...(plural === 'things' && { derivation }),
}));

export function keyOf(path: string, plural = 'things'): string {
  return `registry/test/${plural}/${path}`;
}

/** The record of a thing; with `revision` as it is served. */
export function record(path: string, members: Record<string, unknown> = {}, revision?: number): string {
  const spliced = revision === undefined ? '' : `"resourceVersion":"${revision}",`;
  const rest = JSON.stringify(members).slice(1);
  return `${HEAD}${spliced}"name":"${path}"}${rest === '}' ? '' : ','}${rest}`;
}

export function put(path: string, members: Record<string, unknown> = {}): Write {
  return { key: keyOf(path), value: Buffer.from(record(path, members)), expect: 'any' };
}

export function remove(path: string): Write {
  return { key: keyOf(path), expect: 'any' };
}

export function text(entries: Iterable<Entry>): string[] {
  return Array.from(entries, ({ path }) => path);
}

export interface SeenEvents extends Subscriber {
  /** `+path` or `-path`, an array for each call. */
  readonly batches: string[][];
  readonly events_: CacheEvent[];
  ends: number;
}

export function seen(): SeenEvents {
  const self: SeenEvents = {
    batches: [],
    events_: [],
    ends: 0,
    events(events) {
      self.events_.push(...events);
      self.batches.push(events.map(({ deleted, entry }) => `${deleted ? '-' : '+'}${entry.path}`));
    },
    progress: () => undefined,
    end() {
      self.ends += 1;
    },
  };
  return self;
}

export function isSubscription(answer: Subscription | TooOld): answer is Subscription {
  return 'cancel' in answer;
}
