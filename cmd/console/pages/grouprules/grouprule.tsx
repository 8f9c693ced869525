import { useNavigate, useParams } from '@tanstack/react-router';
import { getRuleCommand } from '../../client/commands/rulecommands.js';
import { judgedForm, ruleForm, RULES, type JudgedView, type RuleView } from '../../client/grouprules.js';
import { onePath } from '../../client/one.js';
import { pathOf } from '../../client/paths.js';
import { USERS } from '../../client/people.js';
import type { LiveState } from '../../live/livelist.js';
import { useLive } from '../../live/uselive.js';
import { Suspense, useState } from 'react';
import { shortRole } from '../../client/projectedits/projectroles.js';
import { useMay } from '../../client/reviews.js';
import { lazyPart } from '../../shell/lazypart.js';
import { Button } from '../../ui/button.js';
import { useTexts } from '../../texts/texts.js';
import { Facts } from '../../ui/facts.js';
import { NotShown } from '../../ui/notshown.js';
import { Page } from '../../ui/page.js';
import { Tags } from '../../ui/tags.js';
import { When } from '../../ui/when.js';
import { DeleteObject } from '../object/deleteobject.js';
import { ObjectEnd } from '../object/objectend.js';
import { ObjectHead } from '../object/objecthead.js';
import { ObjectLinks } from '../object/objectlink.js';

const EditRule = lazyPart(() => import('./editrule.js'), 'EditRule');

/** The number of people that are named. */
const NAMED = 10;

/** One rule, live: what it gives, and the people to whom it applies now. */
export function GroupRulePage() {
  const { name } = useParams({ from: '/grouprules/$name' });
  const state = useLive<RuleView>(onePath(RULES, '', name), 'rule', ruleForm);
  const [rule] = state.items;
  return rule === undefined ? <NotShown name={name} state={state} /> : <Shown rule={rule} state={state} />;
}

function Shown({ rule, state }: { readonly rule: RuleView; readonly state: LiveState<unknown> }) {
  const { rules: texts, scope, actions } = useTexts();
  const navigate = useNavigate();
  const { metadata, spec } = rule;
  const { name = '', resourceVersion = '' } = metadata;
  const [editing, setEditing] = useState(false);
  const mayPatch = useMay({ verb: 'patch', resource: RULES, namespace: '', name }, resourceVersion);
  return (
    <Page
      title={name}
      actions={
        <>
          {mayPatch && <Button onPress={() => setEditing(true)}>{actions.edit}</Button>}
          <DeleteObject
            resource={RULES}
            metadata={metadata}
            question={texts.deleteQuestion(name)}
            onDeleted={() => navigate({ to: '/grouprules' })}
          />
        </>
      }
    >
      <ObjectHead resource={RULES} object={rule} state={state} />
      <Facts
        facts={[
          [texts.columns.claim, spec.claim ?? 'groups'],
          [texts.columns.values, <Tags key="v" texts={spec.values} />],
          [texts.columns.issuer, spec.issuer ?? texts.anyIssuer],
          [texts.columns.team, spec.team && <ObjectLinks key="t" resource="teams" names={[spec.team]} />],
          [
            texts.columns.project,
            spec.project && <ObjectLinks key="p" resource="projects" names={[spec.project]} />,
          ],
          [texts.columns.role, spec.clusterRole && shortRole(spec.clusterRole, scope.roles)],
          [texts.appliesTo, <People key="u" rule={name} />],
          [texts.columns.age, <When key="age" at={Date.parse(metadata.creationTimestamp ?? '')} />],
        ]}
      />
      <Suspense fallback={null}>
        {editing && <EditRule rule={rule} onClose={() => setEditing(false)} />}
      </Suspense>
      <ObjectEnd resource={RULES} metadata={metadata} commands={[getRuleCommand(name)]} />
    </Page>
  );
}

/** The people to whom a rule applies, if all users are known. */
function People({ rule }: { readonly rule: string }) {
  const { rules: texts, teams, home } = useTexts();
  const { items, status } = useLive<JudgedView>(pathOf(USERS), 'judged', judgedForm);
  if (status !== 'live') return texts.notKnown;
  const people = items.filter(({ rules }) => rules.includes(rule)).map(({ metadata: { name = '' } }) => name);
  if (people.length === 0) return teams.nobody;
  return (
    <>
      <ObjectLinks resource="users" names={people.slice(0, NAMED)} />
      {people.length > NAMED && home.more(people.length - NAMED)}
    </>
  );
}
