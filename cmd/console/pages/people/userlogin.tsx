import { useState } from 'react';
import { deleteCommand, linkUserCommand } from '../../client/commands/actioncommands.js';
import { CREATE_UNLIMITED } from '../../client/accesskeys.js';
import { INVITATIONS, invitationForm, type InvitationView } from '../../client/invitations.js';
import { deleteObject, onePath } from '../../client/one.js';
import { setSubject, USERS, type UserView } from '../../client/people.js';
import { useMay } from '../../client/reviews.js';
import { causesOf } from '../../client/status.js';
import { useLive } from '../../live/uselive.js';
import { sessionState } from '../../session/session.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { Confirm } from '../../ui/confirm.js';
import { TextField } from '../../ui/fields/textfield.js';
import { FormDialog } from '../../ui/formdialog.js';
import { undoably } from '../../ui/undostore.js';
import { At } from '../../ui/when.js';
import { InviteUser } from './inviteuser.js';

type Asked = 'invite' | 'revoke' | 'link' | 'unlink';

/** How the user logs in: the subject of the identity provider, and the invitation that is open. */
export function UserLogin({ user }: { readonly user: UserView }) {
  const { invitation: texts } = useTexts();
  const [asked, setAsked] = useState<Asked>();
  const { metadata, subject, disabled } = user;
  const { name = '', resourceVersion } = metadata;
  const at = { resource: INVITATIONS, namespace: '', name };
  const mayRead = useMay({ ...at, verb: 'get' });
  const mayInvite = useMay({ ...at, verb: 'create' }) && !disabled;
  const mayRevoke = useMay({ ...at, verb: 'delete' });
  const acts = { verb: 'impersonate', group: '', resource: USERS, namespace: '', name };
  const mayAct = useMay(acts, resourceVersion);
  const mayPatch = useMay({ verb: 'patch', resource: USERS, namespace: '', name }, resourceVersion);
  const mayLink = mayAct && mayPatch;
  const path = mayRead ? onePath(INVITATIONS, '', name) : undefined;
  const [open] = useLive(path, 'invitation', invitationForm).items;
  const mayMakeKey = useMay(CREATE_UNLIMITED);
  const needsKey = !sessionState().providerLogin || subject !== '';
  const mayReplace = open === undefined || mayRevoke;
  const close = (): void => setAsked(undefined);
  return (
    <section aria-labelledby="userlogin">
      <h2 id="userlogin">{texts.login}</h2>
      <p>{subject === '' ? texts.noLogin : texts.hasLogin(subject)}</p>
      {open !== undefined && <OpenInvitation open={open} />}
      <div className="buttons start">
        {mayInvite && mayAct && mayReplace && (mayMakeKey || !needsKey) && (
          <Button
            look={subject === '' && open === undefined ? 'main' : 'plain'}
            onPress={() => setAsked('invite')}
          >
            {open === undefined ? texts.invite : texts.inviteAgain}
          </Button>
        )}
        {open !== undefined && mayRevoke && (
          <Button onPress={() => setAsked('revoke')}>{texts.revoke}</Button>
        )}
        {mayLink && <Button onPress={() => setAsked('link')}>{texts.link}</Button>}
        {mayPatch && subject !== '' && <Button onPress={() => setAsked('unlink')}>{texts.unlink}</Button>}
      </div>
      {asked === 'invite' && (
        <InviteUser user={user} open={open} needsKey={needsKey} mayMakeKey={mayMakeKey} onClose={close} />
      )}
      {asked === 'link' && <LinkUser user={user} onClose={close} />}
      {asked === 'revoke' && open !== undefined && (
        <Confirm
          title={texts.revoke}
          question={texts.revokeQuestion(name)}
          action={texts.revoke}
          commands={[deleteCommand(INVITATIONS, open.metadata)]}
          onClose={close}
          onConfirm={() => deleteObject(INVITATIONS, open.metadata)}
        />
      )}
      {asked === 'unlink' && (
        <Confirm
          title={texts.unlink}
          question={texts.unlinkQuestion(name)}
          action={texts.unlink}
          commands={[linkUserCommand(name, '')]}
          onClose={close}
          onConfirm={() => undoably(texts.unlinked(name), setSubject(user, ''))}
        />
      )}
    </section>
  );
}

function OpenInvitation({ open }: { readonly open: InvitationView }) {
  const { invitation: texts } = useTexts();
  return (
    <p>
      {texts.open(open.invitedBy)} <At at={open.expires} />
    </p>
  );
}

/** Sets the subject by which the identity provider knows the user. */
function LinkUser({ user, onClose }: { readonly user: UserView; readonly onClose: () => void }) {
  const { invitation: texts, actions } = useTexts();
  const [subject, setValue] = useState(user.subject);
  const { name = '' } = user.metadata;
  return (
    <FormDialog
      title={texts.linkTitle(name)}
      action={actions.save}
      disabled={subject.trim() === ''}
      shown={['spec.subject']}
      commands={[linkUserCommand(name, subject.trim() || 'SUBJECT')]}
      onClose={onClose}
      onSubmit={() => undoably(texts.linked(name), setSubject(user, subject.trim()))}
    >
      {(error) => (
        <TextField
          label={texts.subject}
          hint={texts.subjectHint}
          value={subject}
          onChange={setValue}
          errors={causesOf(error, 'spec.subject')}
          autoFocus
          mono
        />
      )}
    </FormDialog>
  );
}
