/** The five conditions of a namespace that is being deleted, as of kube-controller-manager. */
import type { Namespace } from '../../../api/core/v1/namespace.js';
import type { Content } from './content.js';

interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly lastTransitionTime?: string;
  readonly reason: string;
  readonly message: string;
}

/** The namespace with the conditions for `content`; undefined when it has them. */
export function withConditions(
  namespace: Namespace,
  content: Content,
  now: number = Date.now(),
): Namespace | undefined {
  const status = namespace.status ?? {};
  const previous = status.conditions ?? [];
  const time = `${new Date(now).toISOString().slice(0, 19)}Z`;
  const wanted = conditionsOf(content);
  const types = new Set(wanted.map(({ type }) => type));
  let changed = false;
  const conditions = wanted.map((condition) => {
    const found = previous.find(({ type }) => type === condition.type);
    if (found !== undefined && same(found, condition)) return found;
    changed = true;
    const lastTransitionTime = found?.status === condition.status ? found.lastTransitionTime : time;
    const { type, status: state, reason, message } = condition;
    return { type, status: state, lastTransitionTime: lastTransitionTime ?? time, reason, message };
  });
  if (!changed) return undefined;
  const others = previous.filter(({ type }) => !types.has(type));
  return { ...namespace, status: { ...status, conditions: [...others, ...conditions] } };
}

type FoundCondition = Partial<Pick<Condition, 'reason' | 'message'>> & { readonly status: string };

function same(a: FoundCondition, b: Condition): boolean {
  return a.status === b.status && a.reason === b.reason && a.message === b.message;
}

function conditionsOf({ remaining, finalizers, failures }: Content): Condition[] {
  const holds = (type: string, reason: string, message: string): Condition => ({
    type,
    status: 'True',
    reason,
    message,
  });
  const fine = (type: string, reason: string, message: string): Condition => ({
    type,
    status: 'False',
    reason,
    message,
  });
  const failure = `Failed to delete all resource types, ${failures.length} remaining: ${failures.join(', ')}`;
  const left = listed(remaining, (resource, count) => `${resource} has ${count} resource instances`);
  const held = listed(finalizers, (finalizer, count) => `${finalizer} in ${count} resource instances`);
  return [
    fine('NamespaceDeletionDiscoveryFailure', 'ResourcesDiscovered', 'All resources successfully discovered'),
    fine(
      'NamespaceDeletionGroupVersionParsingFailure',
      'ParsedGroupVersions',
      'All legacy kube types successfully parsed',
    ),
    failures.length > 0
      ? holds('NamespaceDeletionContentFailure', 'ContentDeletionFailed', failure)
      : fine(
          'NamespaceDeletionContentFailure',
          'ContentDeleted',
          'All content successfully deleted, may be waiting on finalization',
        ),
    remaining.size > 0
      ? holds('NamespaceContentRemaining', 'SomeResourcesRemain', `Some resources are remaining: ${left}`)
      : fine('NamespaceContentRemaining', 'ContentRemoved', 'All content successfully removed'),
    finalizers.size > 0
      ? holds(
          'NamespaceFinalizersRemaining',
          'SomeFinalizersRemain',
          `Some content in the namespace has finalizers remaining: ${held}`,
        )
      : fine(
          'NamespaceFinalizersRemaining',
          'ContentHasNoFinalizers',
          'All content-preserving finalizers finished',
        ),
  ];
}

function listed(counts: ReadonlyMap<string, number>, print: (name: string, count: number) => string): string {
  return [...counts.keys()]
    .sort()
    .map((name) => print(name, counts.get(name)!))
    .join(', ');
}
