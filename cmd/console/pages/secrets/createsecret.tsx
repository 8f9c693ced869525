import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { createSecretCommand } from '../../client/commands/actioncommands.js';
import { causesOf } from '../../client/status.js';
import { createSecret } from '../../client/secrets.js';
import { useTexts } from '../../texts/texts.js';
import { FormDialog } from '../../ui/formdialog.js';
import { NameFields, NO_NAMES } from '../../ui/fields/namefields.js';
import { TextField } from '../../ui/fields/textfield.js';

export interface Props {
  /** A namespace in which the user may create a secret. The user may type another. */
  readonly namespace: string;
  readonly onClose: () => void;
}

/** Creates a secret, whose entries are added on its page. The server validates the fields. */
export function CreateSecret({ namespace: offered, onClose }: Props) {
  const { secrets: texts, actions } = useTexts();
  const navigate = useNavigate();
  const [names, setNames] = useState(NO_NAMES);
  const { name, displayName } = names;
  const [namespace, setNamespace] = useState(offered);
  const create = async (): Promise<void> => {
    await createSecret({ namespace, name, displayName, entries: [] });
    await navigate({ to: '/secrets/$namespace/$name', params: { namespace, name } });
  };
  return (
    <FormDialog
      title={texts.create}
      action={actions.create}
      shown={['metadata.name', 'spec.displayName', 'metadata.namespace']}
      commands={[createSecretCommand({ namespace, name, displayName })]}
      onClose={onClose}
      onSubmit={create}
    >
      {(error) => (
        <>
          <NameFields names={names} nameHint={texts.nameHint} error={error} onChange={setNames} />
          <TextField
            label={texts.namespace}
            value={namespace}
            onChange={setNamespace}
            required={true}
            errors={causesOf(error, 'metadata.namespace')}
          />
        </>
      )}
    </FormDialog>
  );
}
