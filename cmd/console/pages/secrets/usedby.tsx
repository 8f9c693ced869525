import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { tableRows } from '../../client/forms.js';
import { pathOf, withQuery } from '../../client/paths.js';
import type { SecretView } from '../../client/secrets.js';
import { useLive } from '../../live/uselive.js';
import { useTexts } from '../../texts/texts.js';
import { LiveNote } from '../../ui/livestate.js';

/** The kind whose objects mirror a shared secret in a project. */
const MIRRORS = 'projectsecrets';
const PREFIX = 'management.svc.example/sharedsecret-';
const MOST = 50;

/** The labels of mirrors are values of labels: what is longer has no mirror. */
const LONGEST_LABEL = 63;

/** What takes its data from a secret, as far as the person may see it. */
export function UsedBySection({ secret: { metadata } }: { readonly secret: Pick<SecretView, 'metadata'> }) {
  const { secrets: texts } = useTexts();
  const { namespace = '', name = '' } = metadata;
  const path = useMemo(() => {
    if (name.length > LONGEST_LABEL || namespace.length > LONGEST_LABEL) return undefined;
    return withQuery(pathOf(MIRRORS), {
      labelSelector: `${PREFIX}name=${name},${PREFIX}namespace=${namespace}`,
    });
  }, [namespace, name]);
  const state = useLive(path, 'table', tableRows);
  if (path === undefined) return null;
  // Whoever may see no such object is refused the list.
  const refused = state.status === 'refused';
  return (
    <section aria-labelledby="used-by">
      <h2 id="used-by">{texts.usedBy}</h2>
      {!refused && <LiveNote state={state} />}
      {state.items.length === 0 && (refused || state.status === 'live') && (
        <p className="hint">{texts.usedByNone}</p>
      )}
      <ul className="plain">
        {state.items.slice(0, MOST).map(({ metadata: mirror }) => (
          <li key={mirror.uid}>
            <Link
              preload={false}
              to="/yaml"
              search={{ path: pathOf(MIRRORS, mirror.namespace, mirror.name) }}
            >
              {texts.mirror(mirror.namespace ?? '', mirror.name ?? '')}
            </Link>
          </li>
        ))}
      </ul>
      {state.items.length > MOST && <p className="hint">{texts.moreMirrors(state.items.length - MOST)}</p>}
      <p className="hint">{texts.usedInClusters}</p>
    </section>
  );
}
