import type { Row } from '../../client/forms.js';
import { useTexts } from '../../texts/texts.js';
import { ObjectLink } from '../object/objectlink.js';

const MAX = 50;
/** The columns of a ProjectSecret with its sync state. */
const [SYNCED, MESSAGE] = ['Synced', 'Sync Message'];

/** The ProjectSecrets with the data of a secret, and whether they are synchronized. */
export function Mirrors({ rows }: { readonly rows: readonly Row[] }) {
  const { secrets: texts } = useTexts();
  if (rows.length === 0) return null;
  return (
    <>
      <ul className="entries">
        {rows.slice(0, MAX).map((row) => (
          <Mirror key={row.metadata.uid} row={row} />
        ))}
      </ul>
      {rows.length > MAX && <p className="hint">{texts.moreMirrors(rows.length - MAX)}</p>}
    </>
  );
}

function Mirror({ row: { metadata, cells } }: { readonly row: Row }) {
  const { secrets: texts, usedIn } = useTexts();
  const { namespace = '', name = '' } = metadata;
  const { [SYNCED]: synced = '', [MESSAGE]: message = '' } = cells;
  const look = synced === 'True' ? 'enabled' : synced === 'False' ? 'failed' : 'disabled';
  const state =
    synced === 'True' ? usedIn.states.Synced : synced === 'False' ? usedIn.notSynced : usedIn.unknownState;
  return (
    <li className="entry">
      <span>
        <ObjectLink resource="projectsecrets" namespace={namespace} name={name}>
          {texts.mirror(namespace, name)}
        </ObjectLink>
        {message !== '' && <span className="hint"> {message}</span>}
      </span>
      <span className={`badge ${look}`}>{state}</span>
    </li>
  );
}
