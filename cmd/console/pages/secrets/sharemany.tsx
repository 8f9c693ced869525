import { useState } from 'react';
import { addShare } from '../../client/access.js';
import { shareCommand } from '../../client/commands/actioncommands.js';
import type { Row } from '../../client/forms.js';
import { placeName } from '../../client/searchrows.js';
import { isSecretResource } from '../../client/secrets.js';
import { useTexts } from '../../texts/texts.js';
import { FormDialog } from '../../ui/formdialog.js';
import { ActOnMany, NAMED } from '../../ui/lists/actonmany.js';
import { useEach } from '../../ui/lists/useeach.js';
import { NO_SHARE, ShareFields, shareOf } from './sharefields.js';
import { usePlaceOf } from './usesecretplace.js';

/** Shares those of the selected secrets that the user may change. */
export function ShareMany({ rows }: { readonly rows: readonly Row[] }) {
  const { lists } = useTexts();
  return (
    <ActOnMany verb="patch" rows={rows} label={lists.share}>
      {(asked, onClose) => <ShareThese rows={asked} title={lists.share(asked.length)} onClose={onClose} />}
    </ActOnMany>
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
  const placeOf = usePlaceOf();
  const share = shareOf(typed);
  const { run, running } = useEach(async ({ resource, metadata }: Row) => {
    if (share !== undefined && isSecretResource(resource)) await addShare({ resource, metadata }, share);
  });
  return (
    <FormDialog
      title={title}
      action={texts.share}
      disabled={share === undefined}
      commands={
        share === undefined ? [] : rows.slice(0, NAMED).map((row) => shareCommand(placeOf(row), share))
      }
      running={running}
      onClose={onClose}
      onSubmit={() => run(rows)}
    >
      {() => (
        <>
          <p className="hint">{rows.map(placeName).join(', ')}</p>
          <ShareFields typed={typed} onChange={setTyped} errors={[]} autoFocus />
        </>
      )}
    </FormDialog>
  );
}
