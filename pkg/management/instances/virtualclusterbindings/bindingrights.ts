/**
 * Decides whether bindings inside virtual clusters may stay: by the right of each binding's user to use the instance.
 */
import { requestFor } from '../../../apimachinery/attributes.js';
import type { ObjectKey } from '../../../../api/resource.js';
import { VirtualClusterInstance } from '../../../../api/management.svc.example/v1/virtualclusterinstance.js';
import type { KeyFingerprint } from '../../../apimachinery/user.js';
import { quote } from '../../../apimachinery/errors.js';
import { CacheUnavailable, type ResourceCache } from '../../../cache/interface.js';
import { onChanges } from '../../../cache/watch/informer.js';
import { placeOf, readBindingRecord, type BindingRecord } from '../kubeconfig/bindingrecord.js';
import { sameJson } from '../../../registry/object/metadata.js';
import type { StandingRights } from '../../standingrights/standingrights.js';

const INSTANCES = VirtualClusterInstance.plural;

/** For messages. */
export const describePlace = ({ cluster, namespace, virtualCluster }: BindingRecord['place']): string =>
  `${cluster}/${namespace}/${virtualCluster}`;

export interface BindingRightsParts {
  /** With the cache of `virtualclusterinstances`. Bindings by the names of their records. */
  readonly rights: StandingRights;
  /** The records. */
  readonly records: ResourceCache;
  /** When certificates end that were made with an access key, in ms since 1970. */
  readonly keyEnd: (key: KeyFingerprint) => number;
  /** The objects that this depends on, each as `<resource>/<path>`. */
  readonly keyObjects: (key: KeyFingerprint) => readonly string[];
  /** The instance from the cache, or from the store. */
  readonly instance: (
    key: ObjectKey,
    from: 'memory' | 'store',
  ) => Promise<VirtualClusterInstance | undefined> | VirtualClusterInstance | undefined;
}

/** `until`: when to check again without a change, in ms since 1970. */
export type BindingVerdict = { readonly record: BindingRecord; readonly revision: number } & (
  | { readonly holds: true; readonly until: number }
  | {
      readonly holds: false;
      readonly why: string;
      /** The instance of the binding; undefined: it was deleted. */
      readonly instance: VirtualClusterInstance | undefined;
    }
);

export class BindingRights {
  private readonly ensure: () => void;
  private readonly places = new Map<string, { readonly revision: number; readonly what: string }>();

  constructor(private readonly parts: BindingRightsParts) {
    const tell = (name: string): void => parts.rights.tell(name);
    this.ensure = onChanges(
      parts.records,
      (events) => {
        for (const { entry } of events) tell(entry.name);
      },
      () => {
        for (const { name } of parts.records.latest().entries('')) tell(name);
      },
    );
  }

  /** Calls `changed` for new bindings, and when the result of {@link check} for a binding may have changed. */
  follow(changed: (binding: string) => void): { cancel(): void } {
    return this.parts.rights.follow(changed);
  }

  forget(binding: string): void {
    this.parts.rights.forget(binding);
    this.places.delete(binding);
  }

  /** The virtual cluster of a binding; `''`: it does not exist, or is not loaded. */
  placeOf(binding: string): string {
    const entry = this.loaded(binding);
    if (entry === undefined) {
      this.places.delete(binding);
      return '';
    }
    const known = this.places.get(binding);
    if (known?.revision === entry.revision) return known.what;
    const what = describePlace(readBindingRecord(entry.bytes).place);
    this.places.set(binding, { revision: entry.revision, what });
    return what;
  }

  private loaded(binding: string): ReturnType<ReturnType<ResourceCache['latest']>['get']> {
    try {
      return this.parts.records.latest().get(binding);
    } catch (error) {
      if (error instanceof CacheUnavailable) return undefined;
      throw error;
    }
  }

  /** Throws CacheUnavailable. */
  *all(): Iterable<string> {
    this.ensure();
    for (const { name } of this.parts.records.latest().entries('')) yield name;
  }

  /** Undefined if the binding was deleted. Rejects if the right cannot be determined now. */
  async check(binding: string): Promise<BindingVerdict | undefined> {
    const { rights, records, keyEnd, keyObjects } = this.parts;
    this.ensure();
    const entry = records.latest().get(binding);
    if (entry === undefined) {
      rights.forget(binding);
      return undefined;
    }
    const record = readBindingRecord(entry.bytes);
    const { holder, instance: of, end, madeWith } = record;
    const found = { record, revision: entry.revision };
    const where = { namespace: of.namespace, resource: `${VirtualClusterInstance.group}/${INSTANCES}` };
    const objects = [
      `${INSTANCES}/${of.namespace}/${of.name}`,
      ...(madeWith === undefined ? [] : keyObjects(madeWith)),
    ];
    const standing = rights.watch(binding, holder, { where, objects });
    const instance = await this.instanceOf(record);
    const not = (why: string): BindingVerdict => ({ ...found, holds: false, why, instance });
    if (instance === undefined) return not('the instance is gone, or lies elsewhere');
    if (end <= rights.now()) return not('the certificate has ended');
    const keyEnds = madeWith === undefined ? Infinity : keyEnd(madeWith);
    if (keyEnds <= rights.now()) return not('its access key has ended');
    if ('gone' in standing) return not(`user ${quote(holder.name)} ${standing.gone}`);
    if (!(await rights.allows(standing.user, requestFor('use', VirtualClusterInstance, of))))
      return not(`user ${quote(holder.name)} may not use it any more`);
    return { ...found, holds: true, until: Math.min(end, keyEnds, standing.until ?? Infinity) };
  }

  /**
   * The instance of the record, if it still has the virtual cluster. Reads the store if the cache does not have the
   * instance.
   */
  private async instanceOf({ instance, place }: BindingRecord): Promise<VirtualClusterInstance | undefined> {
    for (const from of ['memory', 'store'] as const) {
      const found = await this.parts.instance(instance, from);
      if (found?.metadata.uid === instance.uid && sameJson(placeOf(found), place)) return found;
    }
    return undefined;
  }
}
