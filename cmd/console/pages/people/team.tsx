import { useNavigate, useParams } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import { getCommand } from '../../client/commands/pagecommands.js';
import type { LiveState } from '../../live/livelist.js';
import { onePath } from '../../client/one.js';
import { teamForm, TEAMS, type TeamView } from '../../client/people.js';
import { useMay } from '../../client/reviews.js';
import { useLive } from '../../live/uselive.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { Facts } from '../../ui/facts.js';
import { NotShown } from '../../ui/notshown.js';
import { Page } from '../../ui/page.js';
import { Tags } from '../../ui/tags.js';
import { When } from '../../ui/when.js';
import { DeleteObject } from '../object/deleteobject.js';
import { ObjectEnd } from '../object/objectend.js';
import { ObjectHead } from '../object/objecthead.js';
import { ObjectLinks } from '../object/objectlink.js';
import { useTeamRules } from '../grouprules/useteamrules.js';
import { Owned } from './owned.js';
import { ReachSection } from './reach.js';
import { lazyPart } from '../../shell/lazypart.js';

const ChangeMembers = lazyPart(() => import('./changemembers.js'), 'ChangeMembers');

/** One team, live: its members, and the objects that it owns. */
export function TeamPage() {
  const { name } = useParams({ from: '/teams/$name' });
  const state = useLive<TeamView>(onePath(TEAMS, '', name), 'team', teamForm);
  const [team] = state.items;
  return team === undefined ? <NotShown name={name} state={state} /> : <Shown team={team} state={state} />;
}

function Shown({ team, state }: { readonly team: TeamView; readonly state: LiveState<unknown> }) {
  const { teams: texts } = useTexts();
  const { metadata, users, groups } = team;
  const { name = '' } = metadata;
  const rules = useTeamRules(name);
  return (
    <Page title={team.displayName || name} actions={<Actions team={team} />}>
      <ObjectHead resource={TEAMS} object={team} state={state} />
      <Facts
        facts={[
          [
            texts.columns.users,
            users.length === 0 ? texts.nobody : <ObjectLinks key="u" resource="users" names={users} />,
          ],
          [
            texts.byRules,
            rules.length === 0 ? '' : <ObjectLinks key="r" resource="grouprules" names={rules} />,
          ],
          [texts.columns.groups, groups.length === 0 ? '' : <Tags key="g" texts={groups} />],
          [texts.columns.age, <When key="age" at={Date.parse(metadata.creationTimestamp ?? '')} />],
        ]}
      />
      <Owned name={name} />
      <ReachSection key={name} subject={{ team: name }} />
      <ObjectEnd
        resource={TEAMS}
        metadata={metadata}
        commands={[getCommand('teams.management.svc.example', name)]}
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
        resource={TEAMS}
        metadata={team.metadata}
        question={texts.deleteQuestion(name)}
        onDeleted={() => navigate({ to: '/teams' })}
      />
      <Suspense fallback={null}>
        {asked && <ChangeMembers team={team} onClose={() => setAsked(false)} />}
      </Suspense>
    </>
  );
}
