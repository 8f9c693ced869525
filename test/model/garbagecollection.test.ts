/** Random histories of owners, finalizers, policies and a namespace's end on the real server, against a model. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { client, type Client } from '../fixtures/clients/client.js';
import { startServer, type ServerFixture } from '../fixtures/servers/server.js';
import { eventually } from '../fixtures/wait.js';
import { Family, HOLD, describe, type Policy, type Reference } from './family.js';

/** Anybody may own and be owned. */
const NAMES = ['a', 'b', 'c', 'd'];
/** Have two owners and own nobody: who goes does not depend on which owner is looked at first. */
const LEAVES = ['x', 'y'];
const MERGE = { 'content-type': 'application/merge-patch+json' };

type Step =
  | {
      readonly kind: 'create';
      readonly name: string;
      readonly owner: string | null;
      readonly blocks: boolean;
      readonly held: boolean;
    }
  | { readonly kind: 'create leaf'; readonly name: string; readonly owners: readonly string[] }
  | { readonly kind: 'adopt'; readonly name: string; readonly owner: string; readonly blocks: boolean }
  | { readonly kind: 'delete'; readonly name: string; readonly policy: Policy }
  | { readonly kind: 'release'; readonly name: string };

const name = fc.constantFrom(...NAMES);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('create' as const),
      name,
      owner: fc.option(name),
      blocks: fc.boolean(),
      held: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('create leaf' as const),
      name: fc.constantFrom(...LEAVES),
      owners: fc.uniqueArray(name, { minLength: 2, maxLength: 2 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('adopt' as const), name, owner: name, blocks: fc.boolean() }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('delete' as const),
      name: fc.constantFrom(...NAMES, ...LEAVES),
      policy: fc.constantFrom<Policy>('Background', 'Foreground', 'Orphan'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('release' as const), name }) },
);

interface Item {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly ownerReferences?: readonly { readonly name: string }[];
    readonly finalizers?: readonly string[];
    readonly deletionTimestamp?: string;
  };
}

let server: ServerFixture;
let api: Client;
beforeAll(async () => {
  server = await startServer({ controllers: 'garbage-collector-controller,namespace-controller' });
  api = client(server);
});
afterAll(() => server.remove());

/** One history: a namespace of its own, the model, and the uids that names had last. */
class History {
  readonly family = new Family();
  private readonly uids = new Map<string, string>();
  private readonly path: string;

  constructor(private readonly namespace: string) {
    this.path = `/api/v1/namespaces/${namespace}/configmaps`;
  }

  async run(steps: readonly Step[]): Promise<void> {
    await this.send('POST', '/api/v1/namespaces', { metadata: { name: this.namespace } });
    for (const [at, one] of steps.entries()) {
      await this.apply(one);
      await this.expectSettled(`${at}: ${JSON.stringify(one)}`);
    }
    await this.end();
  }

  private async apply(one: Step): Promise<void> {
    const there = this.family.has(one.name);
    switch (one.kind) {
      case 'create':
        if (there) return;
        return this.create(
          one.name,
          one.owner === null ? [] : [this.reference(one.owner, one.blocks)],
          one.held,
        );
      case 'create leaf':
        if (there) return;
        return this.create(
          one.name,
          one.owners.map((owner) => this.reference(owner, false)),
          false,
        );
      case 'adopt': {
        if (!there || this.family.isDeleting(one.name)) return;
        const owner = this.reference(one.owner, one.blocks);
        const body = { metadata: { ownerReferences: [written(owner)] } };
        await this.send('PATCH', `${this.path}/${one.name}`, body, MERGE);
        return this.family.adopt(one.name, owner);
      }
      case 'delete':
        if (!there) return;
        await this.send('DELETE', `${this.path}/${one.name}`, { propagationPolicy: one.policy });
        return this.family.delete(one.name, one.policy);
      case 'release': {
        if (!there) return;
        const finalizers = this.family.finalizersOf(one.name).filter((finalizer) => finalizer !== HOLD);
        await this.send('PATCH', `${this.path}/${one.name}`, { metadata: { finalizers } }, MERGE);
        return this.family.release(one.name);
      }
    }
  }

  private async create(created: string, owners: Reference[], held: boolean): Promise<void> {
    const metadata = { name: created, ownerReferences: owners.map(written), finalizers: held ? [HOLD] : [] };
    const text = await this.send('POST', this.path, { metadata });
    const { uid } = (JSON.parse(text) as Item).metadata;
    this.uids.set(created, uid);
    this.family.create(created, uid, owners, held);
  }

  /** To the object of this name; to the last there was, or one that never was, where there is none. */
  private reference(owner: string, blocks: boolean): Reference {
    return { name: owner, uid: this.family.uidOf(owner) ?? this.uids.get(owner) ?? 'never', blocks };
  }

  private async expectSettled(after: string): Promise<void> {
    const wanted = JSON.stringify(this.family.describe());
    let found = '';
    await eventually('', async () => {
      const { items } = JSON.parse(await this.send('GET', this.path)) as { items: Item[] };
      found = JSON.stringify(items.map(described).sort());
      return found === wanted;
    }).catch(() => expect({ after, found }).toEqual({ after, found: wanted }));
  }

  /** The namespace goes when nothing holds what is in it. */
  private async end(): Promise<void> {
    await this.send('DELETE', `/api/v1/namespaces/${this.namespace}`);
    await eventually(`the end of ${this.namespace}`, async () => {
      const { status, text } = await api.send('GET', this.path);
      for (const { metadata } of (JSON.parse(text) as { items?: Item[] }).items ?? []) {
        const held = metadata.finalizers?.includes(HOLD) === true;
        const finalizers = metadata.finalizers?.filter((finalizer) => finalizer !== HOLD);
        if (held)
          await api.send('PATCH', `${this.path}/${metadata.name}`, { metadata: { finalizers } }, MERGE);
      }
      return status === 200 && (await api.send('GET', `/api/v1/namespaces/${this.namespace}`)).status === 404;
    });
  }

  private async send(
    method: string,
    path: string,
    body?: object,
    headers?: Record<string, string>,
  ): Promise<string> {
    const { status, text } = await api.send(method, path, body, headers);
    if (status >= 300) throw new Error(`${method} ${path}: ${text}`);
    return text;
  }
}

const written = ({ name: owner, uid, blocks }: Reference): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: owner,
  uid,
  blockOwnerDeletion: blocks,
});

function described({ metadata }: Item): string {
  const { ownerReferences: owners = [], finalizers = [], deletionTimestamp } = metadata;
  return describe({ name: metadata.name, owners, finalizers, deleting: deletionTimestamp !== undefined });
}

let histories = 0;

test('the objects that remain are those of the model, after each step of a random history', async () => {
  const runs = Number(process.env.MODEL_RUNS ?? 6);
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 20 }), (steps) =>
      new History(`model-${(histories += 1)}`).run(steps),
    ),
    {
      numRuns: runs,
      endOnFailure: true,
      ...(process.env.MODEL_SEED && { seed: Number(process.env.MODEL_SEED) }),
    },
  );
});
