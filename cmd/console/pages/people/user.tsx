import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { patchCommand } from '../../client/commands/actioncommands.js';
import { getCommand } from '../../client/commands/pagecommands.js';
import type { LiveState } from '../../live/livelist.js';
import { onePath } from '../../client/one.js';
import { setUserDisabled, userForm, USERS, type UserView } from '../../client/people.js';
import { useMay } from '../../client/reviews.js';
import { useLive } from '../../live/uselive.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { Confirm } from '../../ui/confirm.js';
import { Facts } from '../../ui/facts.js';
import { Fault } from '../../ui/fault.js';
import { NotShown } from '../../ui/notshown.js';
import { Page } from '../../ui/page.js';
import { Tags } from '../../ui/tags.js';
import { undoably } from '../../ui/undostore.js';
import { When } from '../../ui/when.js';
import { DeleteObject } from '../object/deleteobject.js';
import { ObjectEnd } from '../object/objectend.js';
import { ObjectHead } from '../object/objecthead.js';
import { ObjectLinks } from '../object/objectlink.js';
import { Owned } from './owned.js';
import { ReachSection } from './reach.js';
import { UserLogin } from './userlogin.js';

/** One user, live: names, groups, teams, and the objects that the user owns. */
export function UserPage() {
  const { name } = useParams({ from: '/users/$name' });
  const state = useLive<UserView>(onePath(USERS, '', name), 'user', userForm);
  const [user] = state.items;
  return user === undefined ? <NotShown name={name} state={state} /> : <Shown user={user} state={state} />;
}

function Shown({ user, state }: { readonly user: UserView; readonly state: LiveState<unknown> }) {
  const { users: texts } = useTexts();
  const { metadata, disabled } = user;
  const { name = '' } = metadata;
  return (
    <Page title={user.displayName || name} actions={<Actions user={user} />}>
      <ObjectHead resource={USERS} object={user} state={state} />
      <p className="state" role="status">
        <span className={`badge ${disabled ? 'disabled' : 'enabled'}`}>
          {disabled ? texts.disabled : texts.enabled}
        </span>
      </p>
      <Facts
        facts={[
          [texts.columns.email, user.email],
          [texts.columns.username, user.username],
          [texts.columns.groups, user.groups.length === 0 ? '' : <Tags key="g" texts={user.groups} />],
          [
            texts.columns.teams,
            user.teams.length === 0 ? '' : <ObjectLinks key="t" resource="teams" names={user.teams} />,
          ],
          [
            texts.byRules,
            user.rules.length === 0 ? '' : <ObjectLinks key="r" resource="grouprules" names={user.rules} />,
          ],
          [texts.notes, user.notes.join(' ')],
          [texts.columns.age, <When key="age" at={Date.parse(metadata.creationTimestamp ?? '')} />],
        ]}
      />
      <UserLogin user={user} />
      <Owned name={name} />
      <ReachSection key={name} subject={{ user: name }} />
      <ObjectEnd
        resource={USERS}
        metadata={metadata}
        commands={[
          getCommand('users.management.svc.example', name),
          patchCommand(USERS, metadata, { disabled: !disabled }),
        ]}
      />
    </Page>
  );
}

/** Disabling needs a confirmation, as it ends the user's requests; enabling does not. */
function Actions({ user }: { readonly user: UserView }) {
  const texts = useTexts();
  const navigate = useNavigate();
  const [asked, setAsked] = useState(false);
  const [error, setError] = useState<unknown>();
  const { name = '', resourceVersion } = user.metadata;
  const mayChange = useMay({ verb: 'patch', resource: USERS, namespace: '', name }, resourceVersion);
  const enable = (): void => {
    setError(undefined);
    undoably(texts.undo.enabled(name), setUserDisabled(user, false)).catch(setError);
  };
  return (
    <>
      {mayChange && (
        <Button onPress={user.disabled ? enable : () => setAsked(true)}>
          {user.disabled ? texts.users.enable : texts.users.disable}
        </Button>
      )}
      <DeleteObject
        resource={USERS}
        metadata={user.metadata}
        question={texts.users.deleteQuestion(name)}
        onDeleted={() => navigate({ to: '/users' })}
      />
      <Fault error={error} />
      {asked && (
        <Confirm
          title={texts.users.disable}
          question={texts.users.disableQuestion(name)}
          action={texts.users.disable}
          commands={[patchCommand(USERS, user.metadata, { disabled: true })]}
          onClose={() => setAsked(false)}
          onConfirm={() => undoably(texts.undo.disabled(name), setUserDisabled(user, true))}
        />
      )}
    </>
  );
}
