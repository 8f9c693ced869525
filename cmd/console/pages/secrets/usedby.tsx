import { useMemo } from 'react';
import { tableRows } from '../../client/forms.js';
import { sharedSelector } from '../../client/filled/filledsecrets.js';
import { pathOf, withQuery } from '../../client/paths.js';
import type { SecretView } from '../../client/secrets.js';
import { useLive } from '../../live/uselive.js';
import { useTexts } from '../../texts/texts.js';
import { LiveNote } from '../../ui/livestate.js';
import { Mirrors } from './mirrors.js';
import { UsedInClusters } from './usedinclusters.js';

/** The objects that use the data of a secret, as far as the user can see them. */
export function UsedBySection({ secret: { metadata } }: { readonly secret: Pick<SecretView, 'metadata'> }) {
  const { secrets: texts } = useTexts();
  const { namespace = '', name = '' } = metadata;
  const path = useMemo(() => {
    const labelSelector = sharedSelector({ namespace, name });
    return labelSelector && withQuery(pathOf('projectsecrets'), { labelSelector });
  }, [namespace, name]);
  const state = useLive(path, 'table', tableRows);
  const mirrors = useMemo(() => state.items.map((row) => row.metadata), [state.items]);
  if (path === undefined) return null;
  // A user who may see no such object is refused the list.
  const refused = state.status === 'refused';
  return (
    <section aria-labelledby="used-by">
      <h2 id="used-by">{texts.usedBy}</h2>
      {!refused && <LiveNote state={state} isLine />}
      {state.items.length === 0 && (refused || state.status === 'live') && (
        <p className="hint">{texts.usedByNone}</p>
      )}
      <Mirrors rows={state.items} />
      <UsedInClusters key={`${namespace}/${name}`} source={metadata} mirrors={mirrors} />
    </section>
  );
}
