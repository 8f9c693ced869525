import { removeMemberCommand } from '../../client/commands/actioncommands.js';
import { setRoles, type Person } from '../../client/projectedits/projectmembers.js';
import type { ProjectView } from '../../client/projects.js';
import { useTexts } from '../../texts/texts.js';
import { Confirm } from '../../ui/confirm.js';
import { undoably } from '../../ui/undostore.js';

export interface Props {
  readonly project: ProjectView;
  readonly person: Person;
  readonly onClose: () => void;
}

/** Removes all roles of a member. */
export function RemoveMember({ project, person, onClose }: Props) {
  const { membership: texts, actions, undo } = useTexts();
  const { name = '' } = project.metadata;
  const who = texts.who(person.kind, person.name);
  return (
    <Confirm
      title={texts.remove(who)}
      question={texts.removeQuestion(who, name)}
      action={actions.remove}
      commands={[removeMemberCommand(name, person)]}
      onClose={onClose}
      onConfirm={() => undoably(undo.members(name), setRoles(project, person, []))}
    />
  );
}
