import { useQuery } from '@tanstack/react-query';
import { Suspense, useMemo } from 'react';
import type { ObjectMeta } from '../../../../api/resource.js';
import { deletionGraph } from '../../client/deletion/deletiongraph.js';
import { readResources, type Resource } from '../../client/deletion/resources.js';
import { dependentsOf, remainingForm, type Dependent } from '../../client/deletion/waiting.js';
import { pathIn } from '../../client/paths.js';
import { useLiveMany } from '../../live/uselivemany.js';
import { useTexts } from '../../texts/texts.js';
import { ReadFault } from '../../ui/fault.js';
import { When } from '../../ui/when.js';
import { DependentsList } from './dependentslist.js';
import { lazyPart } from '../../shell/lazypart.js';

export interface Props {
  /** The path of the object in the API. */
  readonly path: string;
  readonly resource: string;
  readonly metadata: ObjectMeta;
  /** A namespace that is deleted with the object; empty: none. */
  readonly holds?: string;
}

const GraphView = lazyPart(() => import('../../graph/graphview.js'), 'GraphView');

/** The maximum number of pages that are read of each resource. */
const PAGES = 5;

const NONE: readonly Resource[] = [];

/** Shows what the deletion of an object waits for; nothing if the object is not being deleted. */
export const WhyNotDeleted = (props: Props) =>
  props.metadata.deletionTimestamp === undefined ? null : <Waiting {...props} />;

interface Waits {
  readonly dependents: readonly Dependent[];
  /** Resources that the user may not list. */
  readonly refused: readonly string[];
  /** Whether there are more objects than were read. */
  readonly more: boolean;
  readonly loading: boolean;
  readonly error: unknown;
}

/** Watches all resources in which dependents may be left. */
function useWaits({ uid = '', namespace = '' }: ObjectMeta, holds: string): Waits {
  const { data, error } = useQuery({
    queryKey: ['resources'],
    queryFn: ({ signal }) => readResources(signal),
  });
  const resources = (data?.resources ?? NONE).filter(({ namespaced }) => namespaced || namespace === '');
  const states = useLiveMany({
    paths: resources.map((one) => pathIn(one.group, one.resource, one.namespaced ? namespace : '')),
    name: holds,
    form: () => remainingForm(holds),
    maxPages: PAGES,
  });
  const dependents = useMemo(() => {
    const found = states.flatMap(({ items }, at) => {
      const resource = resources[at];
      return resource === undefined ? [] : [[resource, items] as const];
    });
    return dependentsOf({ uid, namespace, holds }, found);
  }, [states]);
  const refused = resources.filter((_one, at) => states[at]?.status === 'refused');
  return {
    dependents,
    refused: [...(data?.refused ?? []), ...refused.map(({ resource }) => resource)],
    more: states.some(({ more }) => more === true),
    loading: data === undefined || states.some(({ status }) => status === 'loading'),
    error: error ?? states.find(({ status }) => status === 'stale')?.error,
  };
}

function Waiting({ path, resource, metadata, holds = '' }: Props) {
  const { deletion: texts, state } = useTexts();
  const { name = '', uid = '', deletionTimestamp = '', finalizers = [] } = metadata;
  const { dependents, refused, more, loading, error } = useWaits(metadata, holds);
  const held = finalizers.join('\n');
  const graph = useMemo(
    () => deletionGraph({ uid, resource, name, path, finalizers, holds }, dependents, texts),
    [uid, path, held, holds, dependents, texts],
  );
  return (
    <section aria-labelledby="deletion" className="notice deletion">
      <h2 id="deletion">{texts.title}</h2>
      <p>
        {texts.since} <When at={Date.parse(deletionTimestamp)} />.
      </p>
      {graph.nodes.length > 1 && (
        <Suspense fallback={<p role="status">{state.loading}</p>}>
          <GraphView graph={graph} label={texts.graph(name)} describedBy="waits" />
        </Suspense>
      )}
      <div id="waits">
        <h3>{texts.finalizers}</h3>
        {finalizers.length === 0 && <p>{texts.noFinalizers}</p>}
        <ul>
          {finalizers.map((finalizer) => (
            <li key={finalizer}>
              <code>{finalizer}</code>: {explained(finalizer, texts.known, texts.unknown)}
            </li>
          ))}
        </ul>
        <h3>{texts.dependents}</h3>
        <ReadFault error={error} />
        {loading ? <p role="status">{state.loading}</p> : <DependentsList dependents={dependents} of={uid} />}
        {refused.length > 0 && <p>{texts.refused(refused.join(', '))}</p>}
        {more && <p>{texts.more}</p>}
      </div>
    </section>
  );
}

function explained(finalizer: string, known: Readonly<Record<string, string>>, unknown: string): string {
  return Object.hasOwn(known, finalizer) ? (known[finalizer] ?? unknown) : unknown;
}
