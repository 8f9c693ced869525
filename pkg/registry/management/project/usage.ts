/** What the projects of a store hold, as quotas count it. */
import { Project } from '../../../../api/management.svc.example/v1/project.js';
import type { Quotas } from '../../../../api/management.svc.example/v1/quotas.js';
import type { ResourceDefinition } from '../../../../api/resource.js';
import { projectOfNamespace } from '../../../management/projects/names.js';
import type { Entry } from '../../../cache/interface.js';
import type { Write } from '../../../storage/interface.js';
import type { ResourceStore } from '../../generic/resourcestore.js';
import { storeOf as storeOfKind } from '../../generic/resourcestore.js';
import type { Settings } from '../../settings.js';
import { isSecretKind, secretBytes } from '../secretkinds.js';

/** Written with everything that makes a project hold more: who comes second starts over. */
const RECORDS = 'registry/private/projectquotas/';
const REACH_MS = 3_000;

export interface LimitedProject {
  readonly name: string;
  readonly quotas: Quotas;
}

export interface ProjectUsage {
  /** The project of a namespace, if it has quotas. */
  limited(namespace: string): LimitedProject | undefined;
  /**
   * The write that goes with what makes the namespace hold more. What the functions below tell is all that writers
   * before it made. Undefined when that cannot be known in time.
   */
  turn(namespace: string): Promise<Write | undefined>;
  /** Resolves once the functions below tell what is there now, and not of what went a moment ago. */
  current(): Promise<void>;
  count(namespace: string, resource: Pick<ResourceDefinition, 'group' | 'plural'>): number;
  /** Of all secrets in the namespace, decoded. */
  secretBytes(namespace: string): number;
}

export function projectUsage(stores: readonly ResourceStore[], settings: Settings): ProjectUsage {
  const storeOf = (group: string, plural: string): ResourceStore | undefined =>
    stores.find(({ definition }) => definition.group === group && definition.plural === plural);
  const projects = storeOfKind(stores, Project);
  const secrets = stores.filter(({ definition }) => isSecretKind(definition));
  const sizes = new WeakMap<Entry, number>();
  const sizeOf = ({ definition }: ResourceStore, entry: Entry): number => {
    const known = sizes.get(entry);
    if (known !== undefined) return known;
    const size = secretBytes(definition, entry.object());
    sizes.set(entry, size);
    return size;
  };
  return {
    limited(namespace) {
      const name = projectOfNamespace(settings.projectNamespacePrefix, namespace);
      if (name === undefined) return undefined;
      const project = projects?.cache.latest().get(name)?.object();
      const quotas = project?.spec?.quotas;
      return quotas === undefined ? undefined : { name, quotas };
    },
    async turn(namespace) {
      if (projects === undefined) return undefined;
      const key = RECORDS + namespace;
      const { record } = await projects.storage.get(key);
      const write = { key, value: Buffer.from('{}'), expect: record?.revision ?? ('absent' as const) };
      if (record === undefined) return write;
      return (await projects.cache.reach(record.revision, REACH_MS)) ? write : undefined;
    },
    async current() {
      if (projects !== undefined) await projects.cache.reach(await projects.newestRevision(), REACH_MS);
    },
    count: (namespace, { group, plural }) =>
      storeOf(group, plural)?.cache.latest().count(`${namespace}/`) ?? 0,
    secretBytes(namespace) {
      let sum = 0;
      for (const store of secrets)
        for (const entry of store.cache.latest().entries(`${namespace}/`)) sum += sizeOf(store, entry);
      return sum;
    },
  };
}
