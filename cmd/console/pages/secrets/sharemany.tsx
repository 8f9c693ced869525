import { useState } from 'react';
import { addShare } from '../../client/access.js';
import { shareCommand } from '../../client/commands/actioncommands.js';
import type { Row } from '../../client/forms.js';
import { useAllowedEach } from '../../client/reviews.js';
import { rowKey } from '../../client/searchrows.js';
import { isSecretResource, PROJECT_SECRETS } from '../../client/secrets.js';
import { projectOf, useNamespacePrefix } from '../../client/useprefix.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { FormDialog } from '../../ui/formdialog.js';
import { useEach } from '../../ui/lists/useeach.js';
import { NO_SHARE, ShareFields, shareOf } from './sharefields.js';

/** The maximum number of secrets that are shared at once; each has an access review. */
const MAX = 100;
/** The number of secrets that have a command of their own. */
const NAMED = 10;

/** Shares those of the selected secrets that the user may change. */
export function ShareMany({ rows }: { readonly rows: readonly Row[] }) {
  const { lists } = useTexts();
  const [asked, setAsked] = useState(false);
  const allowed = useAllowedEach(
    rows.slice(0, MAX).map(({ resource, metadata: { namespace = '', name = '' } }) => ({
      verb: 'patch',
      resource,
      namespace,
      name,
    })),
  );
  const keys = new Set(allowed.map((deed) => rowKey({ resource: deed.resource, metadata: deed })));
  const shared = rows.filter((row) => keys.has(rowKey(row)));
  if (shared.length === 0) return null;
  return (
    <>
      <Button onPress={() => setAsked(true)}>{lists.share(shared.length)}</Button>
      {asked && (
        <ShareThese rows={shared} title={lists.share(shared.length)} onClose={() => setAsked(false)} />
      )}
    </>
  );
}

interface Props {
  readonly rows: readonly Row[];
  readonly title: string;
  readonly onClose: () => void;
}

function ShareThese({ rows, title, onClose }: Props) {
  const { secrets: texts } = useTexts();
  const [typed, setTyped] = useState(NO_SHARE);
  const prefix = useNamespacePrefix();
  const share = shareOf(typed);
  const each = useEach(async ({ resource, metadata }: Row) => {
    if (share !== undefined && isSecretResource(resource)) await addShare({ resource, metadata }, share);
  });
  const placeOf = ({ resource, metadata: { namespace = '', name = '' } }: Row) =>
    resource === PROJECT_SECRETS ? { name, project: projectOf(namespace, prefix) } : { name, namespace };
  return (
    <FormDialog
      title={title}
      action={texts.share}
      disabled={share === undefined}
      commands={
        share === undefined ? [] : rows.slice(0, NAMED).map((row) => shareCommand(placeOf(row), share))
      }
      onClose={onClose}
      onSubmit={() => each(rows)}
    >
      {() => (
        <>
          <p className="hint">{rows.map(({ metadata: { name = '' } }) => name).join(', ')}</p>
          <ShareFields typed={typed} onChange={setTyped} errors={[]} autoFocus />
        </>
      )}
    </FormDialog>
  );
}
