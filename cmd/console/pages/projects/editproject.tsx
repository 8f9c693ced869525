import { useState } from 'react';
import { patchCommand } from '../../client/commands/actioncommands.js';
import { fieldsPatch, projectFields, setFields } from '../../client/projectedits/projectfields.js';
import { PROJECTS, type ProjectView } from '../../client/projects.js';
import { causesOf } from '../../client/status.js';
import { useTexts } from '../../texts/texts.js';
import { Radios } from '../../ui/fields/choice.js';
import { TextField } from '../../ui/fields/textfield.js';
import { FormDialog } from '../../ui/formdialog.js';
import { SuggestField } from '../../ui/suggest/suggestfield.js';
import { usePeople } from '../../ui/suggest/useoffers.js';
import { undoably } from '../../ui/undostore.js';

export interface Props {
  readonly project: ProjectView;
  readonly onClose: () => void;
}

/** Changes the names, the owner and the longest life of keys of a project, as it is when the dialog opens. */
export function EditProject({ project, onClose }: Props) {
  const { projects: texts, names, membership, actions, undo } = useTexts();
  const [base] = useState(project);
  const before = projectFields(base);
  const [fields, setTyped] = useState(before);
  const people = usePeople(fields.ownerKind).filter(({ id }) => id !== '*');
  const { name = '' } = project.metadata;
  const patch = fieldsPatch(before, fields);
  const isChanged = Object.keys(patch).length > 0;
  const set = (field: keyof typeof fields) => (value: string) => setTyped({ ...fields, [field]: value });
  return (
    <FormDialog
      title={texts.edit(name)}
      action={actions.save}
      disabled={!isChanged || fields.owner.trim() === ''}
      shown={['spec.displayName', 'spec.description', 'spec.owner', 'spec.maxKeyDays']}
      commands={isChanged ? [patchCommand(PROJECTS, { name }, patch)] : []}
      onClose={onClose}
      onSubmit={() => undoably(undo.project(name), setFields(base, patch))}
    >
      {(error) => (
        <>
          <TextField
            label={names.displayName}
            value={fields.displayName}
            errors={causesOf(error, 'spec.displayName')}
            autoFocus
            onChange={set('displayName')}
          />
          <TextField
            label={names.description}
            value={fields.description}
            errors={causesOf(error, 'spec.description')}
            lines={3}
            onChange={set('description')}
          />
          <Radios
            label={texts.ownerKind}
            value={fields.ownerKind}
            options={{ User: membership.kinds.User, Team: membership.kinds.Team }}
            onChange={(ownerKind) =>
              setTyped({ ...fields, ownerKind, owner: ownerKind === before.ownerKind ? before.owner : '' })
            }
          />
          <SuggestField
            label={texts.owner}
            hint={texts.ownerHint}
            value={fields.owner}
            suggestions={people}
            errors={causesOf(error, 'spec.owner')}
            onChange={set('owner')}
          />
          <TextField
            label={texts.maxKeyDays}
            hint={texts.maxKeyDaysHint}
            value={fields.maxKeyDays}
            numeric
            errors={causesOf(error, 'spec.maxKeyDays')}
            onChange={set('maxKeyDays')}
          />
        </>
      )}
    </FormDialog>
  );
}
