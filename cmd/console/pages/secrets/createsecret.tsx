import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { createSecretCommand } from '../../client/commands/actioncommands.js';
import { causesOf } from '../../client/status.js';
import { createSecret } from '../../client/secrets.js';
import { useTexts } from '../../texts/texts.js';
import { FormDialog } from '../../ui/formdialog.js';
import { TextField } from '../../ui/textfield.js';

export interface Props {
  /** Where the person may create one; they may type another. */
  readonly namespace: string;
  readonly onClose: () => void;
}

/** A new secret, whose entries are added on its page. The server says what is wrong with which field. */
export function CreateSecret({ namespace: offered, onClose }: Props) {
  const { secrets: texts, actions } = useTexts();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [namespace, setNamespace] = useState(offered);
  const [displayName, setDisplayName] = useState('');
  const create = async (): Promise<void> => {
    await createSecret({ namespace, name, displayName, entries: [] });
    await navigate({ to: '/secrets/$namespace/$name', params: { namespace, name } });
  };
  return (
    <FormDialog
      title={texts.create}
      action={actions.create}
      shown={['metadata.name', 'metadata.namespace']}
      commands={[createSecretCommand({ namespace, name, displayName })]}
      onClose={onClose}
      onSubmit={create}
    >
      {(error) => (
        <>
          <TextField
            {...{ label: texts.name, hint: texts.nameHint, value: name, onChange: setName }}
            {...{ errors: causesOf(error, 'metadata.name'), autoFocus: true, required: true }}
          />
          <TextField
            {...{ label: texts.namespace, value: namespace, onChange: setNamespace, required: true }}
            errors={causesOf(error, 'metadata.namespace')}
          />
          <TextField label={texts.displayName} value={displayName} onChange={setDisplayName} />
        </>
      )}
    </FormDialog>
  );
}
