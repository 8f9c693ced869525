import { Event as CoreEvent } from '../../../../api/core/v1/event.js';
import { Event } from '../../../../api/events.k8s.io/v1/event.js';
import { apiVersionOf, type KubeObject } from '../../../../api/resource.js';
import { membersOf } from '../../../apimachinery/encoding/members.js';
import type { StorageAlias } from '../../object/storagealias.js';

/** Names in core/v1, and in events.k8s.io/v1 (`k8s.io/kubernetes/pkg/apis/events/v1`: conversion.go). */
const RENAMED: readonly (readonly [core: string, here: string])[] = [
  ['count', 'deprecatedCount'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['involvedObject', 'regarding'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['message', 'note'],
  ['reportingComponent', 'reportingController'],
  ['source', 'deprecatedSource'],
];

const CORE_NAMES = new Map(RENAMED.map(([core, here]) => [here, core]));
const OWN_NAMES = new Map(RENAMED);

/** Fields that core/v1 always has and events.k8s.io/v1 omits if empty. */
const ALWAYS_IN_CORE = { reportingComponent: '', reportingInstance: '' };

/** Events are stored as core/v1. */
export const eventForm: StorageAlias = {
  of: CoreEvent,
  stored: (object) => ({
    ...ALWAYS_IN_CORE,
    ...renamed(object, CORE_NAMES),
    apiVersion: apiVersionOf(CoreEvent),
  }),
  served(object) {
    const { series, reportingController, reportingInstance, ...rest } = renamed(object, OWN_NAMES);
    return {
      ...rest,
      ...(series !== undefined && { series: { count: 0, lastObservedTime: null, ...membersOf(series) } }),
      ...(reportingController !== '' && { reportingController }),
      ...(reportingInstance !== '' && { reportingInstance }),
      apiVersion: apiVersionOf(Event),
    };
  },
};

function renamed(object: KubeObject, names: ReadonlyMap<string, string>): KubeObject {
  const entries = Object.entries(object).map(([name, value]) => [names.get(name) ?? name, value] as const);
  const { kind, apiVersion, metadata } = object;
  return { ...Object.fromEntries(entries), kind, apiVersion, metadata };
}
