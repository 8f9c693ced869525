/** The API servers with spaces, and the synchronization of each. */
import { ProjectSecret } from '../../../api/management.svc.example/v1/projectsecret.js';
import { SpaceInstance } from '../../../api/management.svc.example/v1/spaceinstance.js';
import { VirtualClusterInstance } from '../../../api/management.svc.example/v1/virtualclusterinstance.js';
import { projectOfNamespace } from '../projects/names.js';
import { withWantedConditions } from '../../controllers/condition.js';
import { ignoring } from '../../controllers/ignorederrors.js';
import { resourceOf, type ResourceClient } from '../../controllers/interface.js';
import type { ManagementContext } from '../controllercontext.js';
import { targetOf } from '../../controllers/target.js';
import { placeConnection, type PlaceConnection } from './placeconnection.js';
import { Places, instanceOf, type Instance } from './places.js';
import { PlaceSync } from './placesync.js';
import { isSynced, reconcileProjectSecret } from './projectsync.js';
import { SECRETS_SYNCED, secretsCondition } from './conditions.js';
import { finder, wantedFor } from './wanted.js';
import { sourceKey } from './secretrequest.js';
import { soon } from '../../apimachinery/eventloop/turns.js';
import type { SyncRights } from './syncrights.js';

/** How long a place without instances is still emptied. */
const UNUSED_MS = 30_000;
/** Status writes wait this long after a change, to include further ones. */
const STATUS_DELAY_MS = 500;
const LONGEST_MS = 3_600_000;

interface Running {
  readonly sync: PlaceSync;
  readonly connection: PlaceConnection;
  /** When the last instance was removed, in ms. */
  unusedSince?: number;
}

/** The prefix of a source's key in the queue. */
export const SOURCE = 'source ';
/** The prefix of a project's namespace in the queue. */
export const PROJECT = 'project ';

type InstanceObject = SpaceInstance | VirtualClusterInstance;

export class SyncedPlaces {
  private readonly places = new Places();
  private readonly running = new Map<string, Running>();
  /** Sources whose change is reported next. */
  private readonly changed = new Set<string>();
  /** Rights that were checked since the last full round, and in the round before. */
  private checked = new Set<string>();
  private checkedBefore = new Set<string>();

  constructor(
    private readonly context: ManagementContext<
      'clusters' | 'virtualClusters' | 'syncRights' | 'projectNamespacePrefix'
    >,
  ) {}

  /** `object`: undefined if it was deleted. */
  set(key: string, object: InstanceObject | undefined): void {
    const instance = object && instanceOf(object);
    if (JSON.stringify(instance) === JSON.stringify(this.places.get(key))) return;
    const projects = [this.places.get(key)?.namespace, instance?.namespace];
    for (const place of this.places.set(key, instance)) this.context.enqueue(place);
    if (instance?.inside !== undefined) this.running.get(instance.place)?.sync.add(instance.inside);
    for (const project of projects)
      if (project !== undefined) this.context.enqueue(PROJECT + project, STATUS_DELAY_MS);
  }

  /** Reconciles the ProjectSecrets of a project that have, or had, `spec.sync`. */
  private async reconcileProject(project: string): Promise<void> {
    const syncOf = (place: string): PlaceSync | undefined => this.running.get(place)?.sync;
    let again = Infinity;
    for (const cached of resourceOf(this.context.client, ProjectSecret).list(project)) {
      const secret = cached.object();
      if (!isSynced(secret)) continue;
      const parts = { places: this.places, syncOf };
      again = Math.min(again, (await reconcileProjectSecret(this.context, secret, parts)) ?? Infinity);
    }
    if (again !== Infinity) this.context.enqueue(PROJECT + project, again);
  }

  keepOnly(kind: string, keys: ReadonlySet<string>): void {
    for (const key of this.places.keys())
      if (key.startsWith(`${kind}/`) && !keys.has(key)) this.set(key, undefined);
  }

  /** `source`: `plural/namespace/name`. */
  sourceChanged(source: string): void {
    if (this.changed.size === 0) soon(() => this.tellChanged());
    this.changed.add(source);
  }

  /** Searches the Secrets once for changes that arrive together. */
  private tellChanged(): void {
    const sources = new Set(this.changed);
    this.changed.clear();
    for (const { sync } of this.running.values()) sync.sourcesChanged(sources);
  }

  enqueueAll(): void {
    for (const { sync } of this.running.values()) sync.enqueueAll();
  }

  /** Checks everything, and stops watching rights that are no longer used. */
  round(): void {
    for (const key of this.checkedBefore) if (!this.checked.has(key)) this.context.syncRights.forget(key);
    [this.checkedBefore, this.checked] = [this.checked, new Set()];
    this.enqueueAll();
  }

  /** Reconnects to the API server of a place at once. */
  retry(place: string): void {
    this.running.get(place)?.sync.retry();
  }

  counts(): { readonly secrets: number; readonly waiting: number; readonly writes: number } {
    const counts = { secrets: 0, waiting: 0, writes: 0 };
    for (const { sync } of this.running.values()) {
      counts.secrets += sync.targets.size;
      counts.waiting += sync.depth;
      counts.writes += sync.writes;
    }
    return counts;
  }

  /** Whether a key is that of a place, whose end waits for the requests to it. */
  isPlace(key: string): boolean {
    return this.running.has(key) || this.places.isPlace(key);
  }

  /** `key`: a place or an instance. */
  async reconcile(key: string): Promise<void> {
    const instance = this.places.get(key);
    if (instance !== undefined) return this.tell(instance);
    if (key.startsWith(PROJECT)) return this.reconcileProject(key.slice(PROJECT.length));
    if (key.startsWith('SpaceInstance/') || key.startsWith('VirtualClusterInstance/')) return;
    const running = this.running.get(key);
    if (this.places.isUsed(key)) {
      if (running === undefined) this.running.set(key, this.start(key));
      else running.sync.enqueueAll();
    } else if (running !== undefined) {
      if (running.unusedSince === undefined) {
        running.unusedSince = performance.now();
        running.sync.enqueueAll();
        return this.context.enqueue(key, UNUSED_MS);
      }
      if (performance.now() - running.unusedSince < UNUSED_MS) return;
      this.running.delete(key);
      await this.end(running);
    }
  }

  stop(): void {
    for (const running of this.running.values()) void this.end(running);
    this.running.clear();
    for (const key of [...this.checked, ...this.checkedBefore]) this.context.syncRights.forget(key);
  }

  private async end({ sync, connection }: Running): Promise<void> {
    await sync.stop();
    connection.close();
  }

  private start(place: string): Running {
    const { log, enqueue, now, syncRights, projectNamespacePrefix } = this.context;
    const connection = placeConnection(this.context, place);
    const find = finder(this.context);
    const rights: Pick<SyncRights, 'check'> = {
      check: (key, right) => {
        if (right.grants.length > 0) this.checked.add(key);
        return syncRights.check(key, right);
      },
    };
    const sync = new PlaceSync({
      place,
      log,
      connect: () => connection.connect(),
      instancesAt: (namespace) => this.places.instancesAt(place, namespace),
      namespaces: () => this.places.namespacesAt(place),
      wanted: (secret, instances) =>
        wantedFor(secret, instances, {
          rights,
          find,
          projectOf: (namespace) => projectOfNamespace(projectNamespacePrefix, namespace),
          until: (source, at) =>
            enqueue(SOURCE + sourceKey(source), Math.min(Math.max(at - now(), 1), LONGEST_MS)),
        }),
      reportInstances: (instances) => {
        for (const { key, namespace } of instances) {
          enqueue(key, STATUS_DELAY_MS);
          enqueue(PROJECT + namespace, STATUS_DELAY_MS);
        }
      },
    });
    return { sync, connection };
  }

  /** Writes the state of an instance's Secrets to its status. */
  private async tell(instance: Instance): Promise<void> {
    const running = this.running.get(instance.place);
    if (running === undefined) return;
    const { client } = this.context;
    const { kind, namespace, name, place } = instance;
    const resource: ResourceClient<InstanceObject> =
      kind === 'SpaceInstance'
        ? resourceOf(client, SpaceInstance)
        : resourceOf(client, VirtualClusterInstance);
    const object = resource.cached({ namespace, name })?.object();
    if (object === undefined) return;
    const { conditions = [] } = object.status ?? {};
    const condition = secretsCondition(instance, running.sync, {
      instancesAt: (inside) => this.places.instancesAt(place, inside),
      had: conditions.some(({ type }) => type === SECRETS_SYNCED),
    });
    if (condition === undefined) return;
    await ignoring(
      [404],
      resource.update(targetOf(object, 'status'), (copy) => withWantedConditions(copy, [condition])),
    );
  }
}
