import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ObjectMeta } from '../../../../api/resource.js';
import type { Dependent } from '../../client/deletion.js';
import { dependentsOf } from '../../client/deletion.js';
import { useTexts } from '../../texts/texts.js';
import { Fault } from '../../ui/fault.js';
import { Tags } from '../../ui/tags.js';
import { When } from '../../ui/when.js';

export interface Props {
  readonly metadata: ObjectMeta;
  /** A namespace that goes with it; empty: none. */
  readonly holds?: string;
}

const AGAIN_MS = 10_000;
const SHOWN = 100;

/** Nothing, unless the object is being deleted; then what it waits for. */
export function WhyNotDeleted({ metadata, holds = '' }: Props) {
  const { deletion: texts } = useTexts();
  const { uid = '', namespace = '', deletionTimestamp, finalizers = [] } = metadata;
  const { data, error } = useQuery({
    queryKey: ['dependents', uid, holds],
    queryFn: ({ signal }) => dependentsOf({ uid, namespace, holds }, signal),
    enabled: deletionTimestamp !== undefined,
    refetchInterval: AGAIN_MS,
  });
  if (deletionTimestamp === undefined) return null;
  return (
    <section aria-labelledby="deletion" className="notice deletion">
      <h2 id="deletion">{texts.title}</h2>
      <p>
        {texts.since} <When at={Date.parse(deletionTimestamp)} />.
      </p>
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
      <Fault error={error ?? undefined} />
      {data !== undefined && (
        <>
          <Dependents dependents={data.dependents} />
          {data.refused.length > 0 && <p>{texts.refused(data.refused.join(', '))}</p>}
          {data.more && <p>{texts.more}</p>}
        </>
      )}
    </section>
  );
}

function explained(finalizer: string, known: Readonly<Record<string, string>>, unknown: string): string {
  return Object.hasOwn(known, finalizer) ? (known[finalizer] ?? unknown) : unknown;
}

function Dependents({ dependents }: { readonly dependents: readonly Dependent[] }) {
  const { deletion: texts } = useTexts();
  if (dependents.length === 0) return <p>{texts.noDependents}</p>;
  return (
    <ul>
      {dependents.slice(0, SHOWN).map(({ path, resource, namespace, name, deleting, finalizers }) => (
        <li key={path}>
          {resource}{' '}
          <Link to="/yaml" search={{ path }} preload={false}>
            {namespace === '' ? name : `${namespace}/${name}`}
          </Link>
          {deleting && <span className="badge ended">{texts.deleting}</span>} <Tags texts={finalizers} />
        </li>
      ))}
      {dependents.length > SHOWN && <li>{texts.others(dependents.length - SHOWN)}</li>}
    </ul>
  );
}
