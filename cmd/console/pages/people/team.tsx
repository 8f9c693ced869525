import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { patchCommand } from '../../client/actioncommands.js';
import { command } from '../../client/commands.js';
import type { LiveState } from '../../live/livelist.js';
import { onePath } from '../../client/one.js';
import type { TeamView } from '../../client/people.js';
import { setMembers, teamForm, TEAMS } from '../../client/people.js';
import { useMay } from '../../client/reviews.js';
import { causesOf } from '../../client/status.js';
import { mergedNames } from '../../client/edits/threeway.js';
import { useLive } from '../../live/uselive.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { Facts } from '../../ui/facts.js';
import { FormDialog } from '../../ui/formdialog.js';
import { namesOf } from '../../ui/names.js';
import { NotShown } from '../../ui/notshown.js';
import { Page } from '../../ui/page.js';
import { Tags } from '../../ui/tags.js';
import { TextField } from '../../ui/textfield.js';
import { undoably } from '../../ui/undostore.js';
import { When } from '../../ui/when.js';
import { DeleteObject } from '../object/deleteobject.js';
import { ObjectEnd } from '../object/objectend.js';
import { ObjectHead } from '../object/objecthead.js';
import { ObjectLinks } from '../object/objectlink.js';
import { Owned } from './owned.js';

/** One team, live: who is in it, and what belongs to it. */
export function TeamPage() {
  const { name } = useParams({ from: '/teams/$name' });
  const state = useLive<TeamView>(onePath(TEAMS, '', name), 'team', teamForm);
  const [team] = state.items;
  return team === undefined ? <NotShown {...{ name, state }} /> : <Shown {...{ team, state }} />;
}

function Shown({ team, state }: { readonly team: TeamView; readonly state: LiveState<unknown> }) {
  const { teams: texts } = useTexts();
  const { metadata, users, groups } = team;
  const { name = '' } = metadata;
  return (
    <Page title={team.displayName || name} actions={<Actions team={team} />}>
      <ObjectHead resource={TEAMS} object={team} state={state} />
      <Facts
        facts={[
          [
            texts.columns.users,
            users.length === 0 ? texts.nobody : <ObjectLinks key="u" resource="users" names={users} />,
          ],
          [texts.columns.groups, groups.length === 0 ? '' : <Tags key="g" texts={groups} />],
          [texts.columns.age, <When key="age" at={Date.parse(metadata.creationTimestamp ?? '')} />],
        ]}
      />
      <Owned name={name} />
      <ObjectEnd
        resource={TEAMS}
        metadata={metadata}
        commands={[command('kubectl', 'get', 'teams.management.svc.example', name, '--output', 'yaml')]}
      />
    </Page>
  );
}

function Actions({ team }: { readonly team: TeamView }) {
  const { teams: texts } = useTexts();
  const navigate = useNavigate();
  const [asked, setAsked] = useState(false);
  const { name = '', resourceVersion } = team.metadata;
  const mayChange = useMay({ verb: 'patch', resource: TEAMS, namespace: '', name }, resourceVersion);
  return (
    <>
      {mayChange && <Button onPress={() => setAsked(true)}>{texts.change}</Button>}
      <DeleteObject
        {...{ resource: TEAMS, metadata: team.metadata, question: texts.deleteQuestion(name) }}
        onDeleted={() => navigate({ to: '/teams' })}
      />
      {asked && <ChangeMembers team={team} onClose={() => setAsked(false)} />}
    </>
  );
}

function ChangeMembers({ team, onClose }: { readonly team: TeamView; readonly onClose: () => void }) {
  const { teams: texts, actions, conflict, undo } = useTexts();
  const [base] = useState(team.users);
  const [typed, setTyped] = useState(base.join(', '));
  const { names, added, removed } = mergedNames(base, namesOf(typed), team.users);
  const meanwhile = added.length + removed.length > 0;
  return (
    <FormDialog
      title={texts.change}
      action={actions.save}
      shown={['spec.users']}
      commands={[patchCommand(TEAMS, team.metadata, { users: names })]}
      onClose={onClose}
      onSubmit={() => undoably(undo.members(team.metadata.name ?? ''), setMembers(team, names))}
    >
      {(error) => (
        <>
          <TextField
            {...{ label: texts.columns.users, hint: texts.usersHint, value: typed, onChange: setTyped }}
            {...{ errors: causesOf(error, 'spec.users'), autoFocus: true, lines: 4 }}
          />
          <div role="status" className={meanwhile ? 'notice stale' : 'visually-hidden'}>
            {meanwhile && (
              <>
                <p>{conflict.names(added.join(', '), removed.join(', '))}</p>
                <p>{conflict.afterwards(names.join(', ') || texts.nobody)}</p>
              </>
            )}
          </div>
        </>
      )}
    </FormDialog>
  );
}
