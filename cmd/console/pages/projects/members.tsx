import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { rolesOf, setRoles, type Person } from '../../client/projectedits/projectmembers.js';
import { shortRole } from '../../client/projectedits/projectroles.js';
import { PROJECTS, readMembers, type Member, type ProjectView } from '../../client/projects.js';
import { useMay } from '../../client/reviews.js';
import type { Texts } from '../../texts/en.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { ReadFault } from '../../ui/fault.js';
import { Table } from '../../ui/table.js';
import { Tags } from '../../ui/tags.js';
import { removeMemberCommand } from '../../client/commands/actioncommands.js';
import { Confirm } from '../../ui/confirm.js';
import { undoably } from '../../ui/undostore.js';
import { lazyPart } from '../../shell/lazypart.js';

const MemberDialog = lazyPart(() => import('./memberdialog.js'), 'MemberDialog');

/** The open dialog, and its member. */
type Begun = { readonly is: 'add' } | { readonly is: 'change' | 'remove'; readonly person: Person };

/**
 * The members of a project with all of their roles. The rights to change them are checked again for each version of the
 * project.
 */
export function Members({ project }: { readonly project: ProjectView }) {
  const texts = useTexts();
  const { name = '', resourceVersion = '', deletionTimestamp } = project.metadata;
  const [begun, setBegun] = useState<Begun>();
  const mayPatch = useMay({ verb: 'patch', resource: PROJECTS, namespace: '', name }, resourceVersion);
  const mayChange = mayPatch && deletionTimestamp === undefined;
  const {
    data = [],
    error,
    isSuccess,
  } = useQuery({
    queryKey: ['members', name, resourceVersion],
    queryFn: ({ signal }) => readMembers(name, signal),
    placeholderData: (before) => before,
  });
  const { projects, membership } = texts;
  const isChanged = (member: Member): boolean =>
    member.kind !== 'GroupRule' && rolesOf(project.members, personOf(member)).length > 0;
  const hasActions = mayChange && data.some(isChanged);
  const heads = [texts.names.name, projects.kind, projects.role, ...(hasActions ? [membership.actions] : [])];
  return (
    <section aria-labelledby="members" className="listed">
      <div className="section-head">
        <h2 id="members">{projects.members}</h2>
        {mayChange && <Button onPress={() => setBegun({ is: 'add' })}>{membership.add}</Button>}
      </div>
      {deletionTimestamp === undefined && <ReadFault error={error} />}
      {isSuccess && data.length === 0 && <p className="empty">{projects.noMembers}</p>}
      <Table
        labelledBy="members"
        heads={heads}
        rows={data.map((member) => {
          const { key, cells } = rowOf(member, texts);
          const person = personOf(member);
          const actions = isChanged(member) && (
            <MemberActions key="actions" person={person} onBegin={setBegun} />
          );
          return { key, cells: hasActions ? [...cells, actions] : cells };
        })}
      />
      <Suspense fallback={null}>
        <BegunDialog project={project} begun={begun} onClose={() => setBegun(undefined)} />
      </Suspense>
    </section>
  );
}

const personOf = ({ kind, name = '' }: Member): Person => ({ kind: kind === 'Team' ? 'Team' : 'User', name });

const rowOf = (
  { kind = '', name = '', displayName, owner = false, clusterRoles = [] }: Member,
  { projects: { owner: own, kinds }, membership: { everyone }, scope: { roles } }: Texts,
) => ({
  key: `${kind}/${name}`,
  cells: [
    <span key="name">
      {kind === 'User' && name === '*' ? everyone : name}
      {displayName !== undefined && displayName !== name && <span className="hint"> {displayName}</span>}
    </span>,
    kinds[kind] ?? kind,
    <span key="roles">
      {owner && <span className="badge enabled">{own}</span>}
      <Tags texts={clusterRoles.map((one) => shortRole(one, roles))} />
    </span>,
  ],
});

function MemberActions({
  person,
  onBegin,
}: {
  readonly person: Person;
  readonly onBegin: (begun: Begun) => void;
}) {
  const { membership: texts, actions } = useTexts();
  const who = texts.who(person.kind, person.name);
  return (
    <span className="row-actions">
      <Button
        look="quiet"
        aria-label={texts.changeTitle(who)}
        onPress={() => onBegin({ is: 'change', person })}
      >
        {texts.change}
      </Button>
      <Button look="quiet" aria-label={texts.remove(who)} onPress={() => onBegin({ is: 'remove', person })}>
        {actions.remove}
      </Button>
    </span>
  );
}

function BegunDialog({
  project,
  begun,
  onClose,
}: {
  readonly project: ProjectView;
  readonly begun: Begun | undefined;
  readonly onClose: () => void;
}) {
  switch (begun?.is) {
    case undefined:
      return null;
    case 'add':
      return <MemberDialog project={project} onClose={onClose} />;
    case 'change':
      return <MemberDialog project={project} onClose={onClose} member={begun.person} />;
    case 'remove':
      return <RemoveMember project={project} onClose={onClose} person={begun.person} />;
  }
}

interface Props {
  readonly project: ProjectView;
  readonly person: Person;
  readonly onClose: () => void;
}

/** Removes all roles of a member. */
function RemoveMember({ project, person, onClose }: Props) {
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
