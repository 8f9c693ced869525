/** Usage of projects, as their quotas count it. */
import { Project } from '../../../../api/management.svc.example/v1/project.js';
import type { Quotas } from '../../../../api/management.svc.example/v1/projectusage.js';
import type { ResourceDefinition } from '../../../../api/resource.js';
import { projectOfNamespace } from '../names.js';
import type { Entry } from '../../../cache/interface.js';
import type { Write } from '../../../storage/interface.js';
import { storeOf, type ResourceStore } from '../../../registry/resourcestore.js';
import { turnAt } from '../../../registry/transaction/limitturn.js';
import { CACHE_TIMEOUT_MS } from '../../../registry/transaction/waitforcache.js';
import type { Settings } from '../../settings.js';
import { isSecretKind, secretBytes } from '../../sharing/secretkinds.js';

/** Every write that adds to a project also writes this record, so that of two concurrent writers one conflicts and retries. */
const RECORDS = 'registry/private/projectquotas/';

export interface LimitedProject {
  readonly name: string;
  readonly quotas: Quotas;
}

export class ProjectUsage {
  private readonly projects: ResourceStore<Project> | undefined;
  private readonly secrets: readonly ResourceStore[];
  private readonly secretSizes = new WeakMap<Entry, number>();

  constructor(
    private readonly stores: readonly ResourceStore[],
    private readonly settings: Settings,
  ) {
    this.projects = storeOf(stores, Project);
    this.secrets = stores.filter(({ definition }) => isSecretKind(definition));
  }

  /** The project of a namespace, if it has quotas. */
  limited(namespace: string): LimitedProject | undefined {
    const name = projectOfNamespace(this.settings.projectNamespacePrefix, namespace);
    if (name === undefined) return undefined;
    const project = this.projects?.cache.latest().get(name)?.object();
    const quotas = project?.spec?.quotas;
    return quotas === undefined ? undefined : { name, quotas };
  }

  /**
   * Returns the write to commit with whatever adds to the namespace. The usage that this class reports then includes all
   * earlier writers. Undefined if the cache does not catch up in time.
   */
  async turn(namespace: string): Promise<Write | undefined> {
    if (this.projects === undefined) return undefined;
    return turnAt(this.projects, RECORDS + namespace);
  }

  /** Waits until the cache has the newest revision, so that usage excludes what was deleted before. */
  async current(): Promise<void> {
    if (this.projects === undefined) return;
    await this.projects.cache.reach(await this.projects.newestRevision(), CACHE_TIMEOUT_MS);
  }

  count(namespace: string, { group, plural }: Pick<ResourceDefinition, 'group' | 'plural'>): number {
    const store = this.stores.find(
      ({ definition }) => definition.group === group && definition.plural === plural,
    );
    return store?.cache.latest().count(`${namespace}/`) ?? 0;
  }

  /** Decoded bytes of all secrets in the namespace. */
  secretBytes(namespace: string): number {
    let sum = 0;
    for (const store of this.secrets)
      for (const entry of store.cache.latest().entries(`${namespace}/`)) sum += this.sizeOf(store, entry);
    return sum;
  }

  private sizeOf({ definition }: ResourceStore, entry: Entry): number {
    const cached = this.secretSizes.get(entry);
    if (cached !== undefined) return cached;
    const size = secretBytes(definition, entry.object());
    this.secretSizes.set(entry, size);
    return size;
  }
}
