import { useState } from 'react';
import { addMemberCommand, patchCommand } from '../../client/commands/actioncommands.js';
import {
  memberFaults,
  rolesOf,
  setRoles,
  withRoles,
  type Person,
} from '../../client/projectedits/projectmembers.js';
import { shortRole, roleOf } from '../../client/projectedits/projectroles.js';
import { PROJECTS, type ProjectView } from '../../client/projects.js';
import { useTexts } from '../../texts/texts.js';
import { Radios } from '../../ui/fields/choice.js';
import { FormDialog } from '../../ui/formdialog.js';
import { undoably } from '../../ui/undostore.js';
import { clusterRolesOf, MemberRole, type ChosenRole } from './memberrole.js';
import { SuggestField } from '../../ui/suggest/suggestfield.js';
import { usePeople } from '../../ui/suggest/useoffers.js';
import { Facts } from '../../ui/facts.js';
import { Tags } from '../../ui/tags.js';

export interface Props {
  readonly project: ProjectView;
  /** The member whose role is changed; absent: a member is added. */
  readonly member?: Person;
  readonly onClose: () => void;
}

const chosenOf = (clusterRoles: readonly string[]): ChosenRole => {
  if (clusterRoles.length === 0) return { role: 'user', typed: '' };
  const role = roleOf(clusterRoles);
  return role === undefined ? { role: 'other', typed: clusterRoles.join(', ') } : { role, typed: '' };
};

/** Gives a user or a team a role in a project, and shows the changes before they are applied. */
export function MemberDialog({ project, member, onClose }: Props) {
  const { membership: texts, actions, conflict, undo } = useTexts();
  const [person, setPerson] = useState<Person>(member ?? { kind: 'User', name: '' });
  const [base] = useState(() => (member === undefined ? [] : rolesOf(project.members, member)));
  const [chosen, setChosen] = useState(() => chosenOf(base));
  const roles = clusterRolesOf(chosen);
  const before = rolesOf(project.members, person);
  const isOther = before.join() !== base.join();
  const { name: projectName = '' } = project.metadata;
  const suggestions = usePeople(person.kind);
  const kinds = { User: texts.kinds.User, Team: texts.kinds.Team };
  return (
    <FormDialog
      title={member === undefined ? texts.add : texts.changeTitle(texts.who(member.kind, member.name))}
      action={isOther ? conflict.replace : member === undefined ? texts.addNow : actions.save}
      shown={['spec.members']}
      commands={[commandOf(project, person, roles)]}
      onClose={onClose}
      onSubmit={() => undoably(undo.members(projectName), setRoles(project, person, roles))}
    >
      {(error) => (
        <>
          {member === undefined && (
            <>
              <Radios
                label={texts.kind}
                value={person.kind}
                options={kinds}
                onChange={(kind) => setPerson({ kind, name: '' })}
              />
              <SuggestField
                label={kinds[person.kind]}
                hint={texts.searchHint}
                value={person.name}
                suggestions={suggestions}
                errors={memberFaults(error).name}
                autoFocus={true}
                onChange={(name) => setPerson({ ...person, name })}
              />
            </>
          )}
          <MemberRole chosen={chosen} errors={memberFaults(error).role} onChange={setChosen} />
          <MemberChange person={person} before={before} after={roles} />
          <div role="status" className={isOther ? 'notice stale' : 'visually-hidden'}>
            {isOther && <p>{member === undefined ? texts.already : texts.meanwhile}</p>}
          </div>
        </>
      )}
    </FormDialog>
  );
}

/** The command, as `platform` sets exactly one role. */
function commandOf({ metadata, members }: ProjectView, person: Person, roles: readonly string[]): string {
  const [first = ''] = roles;
  if (roles.length > 1)
    return patchCommand(PROJECTS, metadata, { members: withRoles(members, person, roles) });
  const role = roleOf(roles) ?? (first || 'ROLE');
  return addMemberCommand(metadata.name ?? '', person, role);
}

interface MemberChangeProps {
  readonly person: Person;
  /** The ClusterRoles before the change; empty: no member. */
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** The effect of a change on one member. */
function MemberChange({ person: { kind, name }, before, after }: MemberChangeProps) {
  const { membership: texts, scope } = useTexts();
  const shown = (roles: readonly string[]) =>
    roles.length === 0 ? (
      texts.noMember
    ) : (
      <Tags key="roles" texts={roles.map((one) => shortRole(one, scope.roles))} />
    );
  if (name === '' || after.includes('')) return null;
  return (
    <>
      <h3>{texts.result}</h3>
      <Facts
        facts={[
          [texts.person, texts.who(kind, name)],
          [texts.before, shown(before)],
          [texts.after, shown(after)],
        ]}
      />
    </>
  );
}
