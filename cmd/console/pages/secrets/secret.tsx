import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { command } from '../../client/commands.js';
import { useMay } from '../../client/reviews.js';
import type { SecretView } from '../../client/secrets.js';
import { deleteSecret, SECRETS, secretForm, secretPath } from '../../client/secrets.js';
import { useLive } from '../../live/uselive.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { Confirm } from '../../ui/confirm.js';
import { LiveNote } from '../../ui/livestate.js';
import { Page } from '../../ui/page.js';
import { ObjectEnd } from '../object/objectend.js';
import { WhyNotDeleted } from '../object/whynotdeleted.js';
import { AccessSection } from './access.js';
import { EntriesSection } from './entries.js';
import { ShareDialog } from './share.js';

/** One secret, live. */
export function SecretPage() {
  const texts = useTexts();
  const { namespace, name } = useParams({ from: '/secrets/$namespace/$name' });
  const state = useLive<SecretView>(secretPath(namespace, name), 'secret', secretForm);
  const [secret] = state.items;
  if (secret !== undefined) return <Shown secret={secret} note={<LiveNote state={state} />} />;
  return (
    <Page title={name}>
      <LiveNote state={state} />
      {state.status === 'live' && <p className="empty">{texts.state.notFound}</p>}
    </Page>
  );
}

function Shown({ secret, note }: { readonly secret: SecretView; readonly note: React.ReactNode }) {
  const texts = useTexts();
  const navigate = useNavigate();
  const [asked, setAsked] = useState<'share' | 'delete'>();
  const { name = '', namespace = '', resourceVersion } = secret.metadata;
  const object = { resource: SECRETS, namespace, name };
  const mayChange = useMay({ verb: 'patch', ...object }, resourceVersion);
  const mayDelete = useMay({ verb: 'delete', ...object }, resourceVersion);
  const close = (): void => setAsked(undefined);
  return (
    <Page
      title={secret.displayName || name}
      actions={
        <>
          {mayChange && (
            <Button look="main" onPress={() => setAsked('share')}>
              {texts.secrets.share}
            </Button>
          )}
          {mayDelete && (
            <Button look="danger" onPress={() => setAsked('delete')}>
              {texts.actions.delete}
            </Button>
          )}
        </>
      }
    >
      <p className="hint">
        {namespace} / {name}
      </p>
      {secret.description !== '' && <p>{secret.description}</p>}
      {note}
      <WhyNotDeleted metadata={secret.metadata} />
      <EntriesSection secret={secret} mayChange={mayChange} />
      <AccessSection secret={secret} mayChange={mayChange} />
      <ObjectEnd
        resource={SECRETS}
        metadata={secret.metadata}
        commands={[
          command('kubectl', 'get', 'sharedsecret', name, '--namespace', namespace, '--output', 'yaml'),
          command('platform', 'get', 'secret', name, '--namespace', namespace),
        ]}
      />
      {asked === 'share' && <ShareDialog secret={secret} onClose={close} />}
      {asked === 'delete' && (
        <Confirm
          title={texts.actions.delete}
          question={texts.secrets.deleteQuestion(name)}
          action={texts.actions.delete}
          typed={name}
          onClose={close}
          onConfirm={async () => {
            await deleteSecret(secret);
            await navigate({ to: '/secrets' });
          }}
        />
      )}
    </Page>
  );
}
