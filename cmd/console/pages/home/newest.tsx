import { useMemo } from 'react';
import type { ObjectMeta } from '../../../../api/resource.js';
import { newestRows } from '../../client/searchrows.js';
import { useTexts } from '../../texts/texts.js';
import { When } from '../../ui/when.js';
import { ObjectLink } from '../object/objectlink.js';
import type { Kind } from './kinds.js';

const MAX = 8;

export interface Made {
  readonly kind: Kind;
  readonly objects: readonly { readonly metadata: ObjectMeta }[];
}

/** The newest objects of all kinds. */
export function Newest({ made, complete }: { readonly made: readonly Made[]; readonly complete: boolean }) {
  const { home } = useTexts();
  const newest = useMemo(() => {
    const ofEach = made.flatMap(({ kind, objects }) =>
      newestRows(objects, MAX).map(({ metadata }) => ({ metadata, kind })),
    );
    return newestRows(ofEach, MAX);
  }, [made]);
  if (newest.length === 0) return complete ? <p className="hint">{home.noneMade}</p> : null;
  return (
    <ul className="plain">
      {newest.map(({ kind, metadata: { namespace = '', name = '', creationTimestamp = '' } }) => (
        <li key={`${kind}/${namespace}/${name}`} className="line">
          <ObjectLink resource={kind} namespace={namespace} name={name} />
          <span className="hint">
            {home.kinds[kind](1)} · <When at={Date.parse(creationTimestamp)} />
          </span>
        </li>
      ))}
    </ul>
  );
}
