import { forgetSession, type Logins } from '../../session/session.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';
import { LoginForm } from './loginform.js';

export interface Props extends Logins {
  /** The user of the session that ended. */
  readonly user: string;
}

/** A login dialog that hides a page whose session ended by itself. */
export function LogInAgain({ user, providerLogin, tokenLogin }: Props) {
  const { login: texts } = useTexts();
  return (
    <Dialog title={texts.again} onClose={forgetSession} stays hides>
      <p>{texts.ended(user)}</p>
      <div className="login-form">
        <LoginForm providerLogin={providerLogin} tokenLogin={tokenLogin} stays />
        <Button look="quiet" onPress={forgetSession}>
          {texts.leave}
        </Button>
      </div>
    </Dialog>
  );
}
