import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import {
  ACCESS_KEYS,
  accessKeyForm,
  rotateKey,
  setDisabled,
  type AccessKeyView,
} from '../../client/accesskeys.js';
import {
  deleteKeyCommand,
  rotateKeyCommand,
  switchKeyCommand,
} from '../../client/commands/actioncommands.js';
import { newKey } from '../../client/newkeys/newkey.js';
import { deleteObject, onePath } from '../../client/one.js';
import { useMay } from '../../client/reviews.js';
import { keySentence } from '../../client/scopes/scopetext.js';
import type { LiveState } from '../../live/livelist.js';
import { useLive } from '../../live/uselive.js';
import { isSessionKey } from '../../session/session.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { Confirm } from '../../ui/confirm.js';
import { Facts } from '../../ui/facts.js';
import { Fault } from '../../ui/fault.js';
import { NotShown } from '../../ui/notshown.js';
import { Page } from '../../ui/page.js';
import { useNow } from '../../ui/usenow.js';
import { When } from '../../ui/when.js';
import { ObjectEnd } from '../object/objectend.js';
import { ObjectHead } from '../object/objecthead.js';
import { KeyOwner } from './keyowner.js';
import { KeyState } from './keystate.js';
import { KeyValue } from './keyvalue.js';

/** One access key, live. */
export function KeyPage() {
  const { name } = useParams({ from: '/accesskeys/$name' });
  const state = useLive<AccessKeyView>(onePath(ACCESS_KEYS, '', name), 'key', accessKeyForm);
  const [shown] = state.items;
  return shown === undefined ? <NotShown name={name} state={state} /> : <Shown shown={shown} state={state} />;
}

function Shown({ shown, state }: { readonly shown: AccessKeyView; readonly state: LiveState<unknown> }) {
  const texts = useTexts();
  const now = useNow();
  const { metadata, expires, lastActivity, place, type, displayName } = shown;
  const { name = '' } = metadata;
  const { columns } = texts.keys;
  return (
    <Page title={displayName || name} actions={<Actions shown={shown} />}>
      <ObjectHead resource={ACCESS_KEYS} object={shown} state={state} />
      <p className="state" role="status">
        <KeyState shown={shown} now={now} />
      </p>
      <p className="sentence">{keySentence(shown, texts.scope)}</p>
      <Facts
        facts={[
          [columns.owner, <KeyOwner key="owner" shown={shown} />],
          [columns.type, place === undefined ? (texts.keys.types[type] ?? type) : texts.keys.typeProject],
          [columns.expires, expires === undefined ? texts.keys.noEnd : <When key="at" at={expires} />],
          [
            columns.used,
            lastActivity === undefined ? texts.keys.never : <When key="at" at={Date.parse(lastActivity)} />,
          ],
          [columns.age, <When key="age" at={Date.parse(metadata.creationTimestamp ?? '')} />],
        ]}
      />
      <ObjectEnd
        resource={ACCESS_KEYS}
        metadata={metadata}
        commands={[switchKeyCommand(name, !shown.disabled), rotateKeyCommand(name), deleteKeyCommand(name)]}
      />
    </Page>
  );
}

type Begun = 'rotate' | 'disable' | 'delete';

/** What the user may do with the key. */
function Actions({ shown }: { readonly shown: AccessKeyView }) {
  const texts = useTexts();
  const { name = '', generation } = shown.metadata;
  const [begun, setBegun] = useState<Begun>();
  const [error, setError] = useState<unknown>();
  // Every use of a key changes its resourceVersion, but only a change of its owner or scope changes the generation. So
  // a use does not repeat the access reviews.
  const deed = { resource: ACCESS_KEYS, namespace: '', name };
  const mayChange = useMay({ ...deed, verb: 'patch' }, String(generation ?? ''));
  const mayDelete = useMay({ ...deed, verb: 'delete' }, String(generation ?? ''));
  const turn = (): void => {
    setError(undefined);
    setDisabled(shown, !shown.disabled).catch(setError);
  };
  return (
    <>
      {mayChange && (
        <>
          {shown.type !== 'Login' && <Button onPress={() => setBegun('rotate')}>{texts.keys.rotate}</Button>}
          <Button onPress={!shown.disabled && isSessionKey(name) ? () => setBegun('disable') : turn}>
            {shown.disabled ? texts.keys.enable : texts.keys.disable}
          </Button>
        </>
      )}
      {mayDelete && (
        <Button look="danger" onPress={() => setBegun('delete')}>
          {texts.actions.delete}
        </Button>
      )}
      <Fault error={error} />
      {begun !== undefined && <BegunDialog shown={shown} begun={begun} onClose={() => setBegun(undefined)} />}
    </>
  );
}

interface DialogProps {
  readonly shown: AccessKeyView;
  readonly begun: Begun;
  readonly onClose: () => void;
}

function BegunDialog({ shown, begun, onClose }: DialogProps) {
  const { keys: texts, actions } = useTexts();
  const navigate = useNavigate();
  const { metadata } = shown;
  const { name = '' } = metadata;
  const own = isSessionKey(name) ? ` ${texts.endsSession}` : '';
  // The value is made here and is shown first: with the key of the session, the session ends, too.
  const [value] = useState(newKey);
  switch (begun) {
    case 'rotate':
      return (
        <Confirm
          title={texts.rotateOf(name)}
          question={texts.rotateQuestion(name) + own}
          action={texts.done}
          commands={[rotateKeyCommand(name)]}
          onClose={onClose}
          onConfirm={() => rotateKey(metadata, value)}
        >
          <p>{texts.rotateValue}</p>
          <KeyValue value={value} />
        </Confirm>
      );
    case 'disable':
      return (
        <Confirm
          title={texts.disableOf(name)}
          question={texts.endsSession}
          action={texts.disable}
          commands={[switchKeyCommand(name, true)]}
          onClose={onClose}
          onConfirm={() => setDisabled(shown, true)}
        />
      );
    case 'delete':
      return (
        <Confirm
          title={texts.deleteOf(name)}
          question={texts.deleteQuestion(name) + own}
          action={actions.delete}
          commands={[deleteKeyCommand(name)]}
          onClose={onClose}
          onConfirm={async () => {
            await deleteObject(ACCESS_KEYS, metadata);
            await navigate({ to: '/accesskeys' });
          }}
        />
      );
  }
}
