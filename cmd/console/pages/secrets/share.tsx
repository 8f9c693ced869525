import { useState } from 'react';
import { grantsOf, withShare } from '../../client/access.js';
import { shareCommand } from '../../client/commands/actioncommands.js';
import { changeSecret, type SecretView } from '../../client/secrets.js';
import { causesOf } from '../../client/status.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { Commands } from '../../ui/commands.js';
import { Dialog } from '../../ui/dialog.js';
import { Fault } from '../../ui/fault.js';
import { undoably } from '../../ui/undostore.js';
import { useSubmit } from '../../ui/usesubmit.js';
import { Grants } from './access.js';
import { NO_SHARE, ShareFields, shareOf } from './sharefields.js';
import { useSecretPlace } from './usesecretplace.js';

/** Gives users and teams rights, and shows the resulting grants before the change is applied. */
export function ShareDialog({
  secret,
  onClose,
}: {
  readonly secret: SecretView;
  readonly onClose: () => void;
}) {
  const texts = useTexts();
  const [typed, setTyped] = useState(NO_SHARE);
  const place = useSecretPlace(secret);
  const { name = '' } = secret.metadata;
  const share = shareOf(typed);
  const access = share === undefined ? secret.access : withShare(secret.access, share);
  const { submit, busy, error } = useSubmit(
    () => undoably(texts.undo.shared(name), changeSecret(secret, { access })),
    onClose,
  );
  return (
    <Dialog title={texts.secrets.shareTitle(name)} onClose={onClose}>
      <ShareFields typed={typed} onChange={setTyped} errors={causesOf(error, 'spec.access')} autoFocus />
      <h3>{texts.secrets.result}</h3>
      <Grants grants={grantsOf({ ...secret, access })} before={grantsOf(secret)} />
      {share !== undefined && <Commands lines={[shareCommand(place, share)]} />}
      <Fault error={error} shown={['spec.access']} />
      <div className="buttons">
        <Button onPress={onClose}>{texts.actions.cancel}</Button>
        <Button look="main" isDisabled={busy || share === undefined} onPress={submit}>
          {texts.secrets.share}
        </Button>
      </div>
    </Dialog>
  );
}
