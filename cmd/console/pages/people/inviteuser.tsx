import { useState } from 'react';
import { inviteCommand } from '../../client/commands/actioncommands.js';
import { createInvitation, type InvitationView } from '../../client/invitations.js';
import type { UserView } from '../../client/people.js';
import { causesOf } from '../../client/status.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { CopyButton } from '../../ui/copybutton.js';
import { Dialog } from '../../ui/dialog.js';
import { Choice, Radios } from '../../ui/fields/choice.js';
import { FormDialog } from '../../ui/formdialog.js';

export interface Props {
  readonly user: UserView;
  /** The invitation that is open, and ends. */
  readonly open: InvitationView | undefined;
  /** Whether the person cannot log in otherwise than with an access key, and may get one. */
  readonly needsKey: boolean;
  readonly mayMakeKey: boolean;
  readonly onClose: () => void;
}

const HOUR = 3600;
const TTLS = { day: 24 * HOUR, days: 48 * HOUR, week: 168 * HOUR };
const KEY_TTL = 30 * 24 * HOUR;

/** What an invitation is unless something else is chosen, and its command. */
export const usualInvitation = (byKey: boolean) => ({
  ttl: TTLS.days,
  ...(byKey && { accessKeyTTL: KEY_TTL }),
});
export const usualCommand = (name: string, byKey: boolean): string =>
  inviteCommand(name || 'NAME', `${TTLS.days / HOUR}h`, byKey);

/** Creates an invitation, and shows its link once. */
export function InviteUser({ user, open, needsKey, mayMakeKey, onClose }: Props) {
  const { invitation: texts } = useTexts();
  const [ttl, setTtl] = useState<keyof typeof TTLS>('days');
  const [way, setWay] = useState<'login' | 'accessKey'>(needsKey ? 'accessKey' : 'login');
  const [link, setLink] = useState<string>();
  const { name = '' } = user.metadata;
  const byKey = way === 'accessKey';
  const spec = { ttl: TTLS[ttl], ...(byKey && { accessKeyTTL: KEY_TTL }) };
  const create = async (): Promise<void> => setLink(await createInvitation(name, spec, open));
  if (link !== undefined) return <ShownLink name={name} link={link} onClose={onClose} />;
  return (
    <FormDialog
      title={texts.inviteTitle(name)}
      action={texts.createLink}
      shown={['spec.ttl']}
      commands={[inviteCommand(name, `${TTLS[ttl] / HOUR}h`, byKey)]}
      onClose={onClose}
      onDone={() => undefined}
      onSubmit={create}
    >
      {(error) => (
        <>
          <p>{texts.inviteHint}</p>
          {open !== undefined && <p className="notice">{texts.endsOther}</p>}
          {!needsKey && mayMakeKey && (
            <Radios label={texts.way} value={way} options={texts.ways} onChange={setWay} />
          )}
          {needsKey && <p className="hint">{texts.onlyKey}</p>}
          <Choice
            label={texts.ttl}
            value={ttl}
            options={texts.ttls}
            onChange={setTtl}
            errors={causesOf(error, 'spec.ttl')}
          />
        </>
      )}
    </FormDialog>
  );
}

interface LinkProps {
  readonly name: string;
  readonly link: string;
  readonly onClose: () => void;
}

/** The link of a new invitation, which is shown once. */
export function ShownLink({ name, link, onClose }: LinkProps) {
  const { invitation: texts, keys, secrets } = useTexts();
  return (
    <Dialog title={texts.made(name)} onClose={onClose} stays>
      <p>{texts.shownOnce(name)}</p>
      <div className="command">
        <code tabIndex={0} aria-label={texts.theLink}>
          {link}
        </code>
        <CopyButton look="main" text={() => link} label={secrets.copyOf(texts.theLink)} />
      </div>
      <div className="buttons">
        <Button look="main" onPress={onClose}>
          {keys.done}
        </Button>
      </div>
    </Dialog>
  );
}
