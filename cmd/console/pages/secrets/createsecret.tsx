import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { causesOf } from '../../client/status.js';
import { createSecret } from '../../client/secrets.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';
import { Fault } from '../../ui/fault.js';
import { TextField } from '../../ui/textfield.js';

/** A new secret, whose entries are added on its page. The server says what is wrong with which field. */
export function CreateSecret({ onClose }: { readonly onClose: () => void }) {
  const texts = useTexts();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [namespace, setNamespace] = useState('default');
  const [displayName, setDisplayName] = useState('');
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const create = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      await createSecret({ namespace, name, displayName, entries: [] });
      onClose();
      await navigate({ to: '/secrets/$namespace/$name', params: { namespace, name } });
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  return (
    <Dialog title={texts.secrets.create} onClose={onClose}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void create();
        }}
      >
        <TextField
          label={texts.secrets.name}
          hint={texts.secrets.nameHint}
          value={name}
          onChange={setName}
          errors={causesOf(error, 'metadata.name')}
          autoFocus
          required
        />
        <TextField
          label={texts.secrets.namespace}
          value={namespace}
          onChange={setNamespace}
          errors={causesOf(error, 'metadata.namespace')}
          required
        />
        <TextField label={texts.secrets.displayName} value={displayName} onChange={setDisplayName} />
        <Fault error={error} shown={['metadata.name', 'metadata.namespace']} />
        <div className="buttons">
          <Button onPress={onClose}>{texts.actions.cancel}</Button>
          <Button look="main" type="submit" isDisabled={busy}>
            {texts.actions.create}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
