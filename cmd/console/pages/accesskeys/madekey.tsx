import { useState } from 'react';
import type { OwnedAccessKey } from '../../../../api/management.svc.example/v1/ownedaccesskey.js';
import type { Asked } from '../../client/accesskeys.js';
import { mayIt } from '../../client/accesskeys.js';
import { ApiError } from '../../client/status.js';
import { scopeSentence } from '../../client/scopetext.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { Choice } from '../../ui/choice.js';
import { CopyButton } from '../../ui/copybutton.js';
import { Dialog } from '../../ui/dialog.js';
import { Fault } from '../../ui/fault.js';
import { TextField } from '../../ui/textfield.js';

/** The key, this once; and whether it may do what it is for, asked before it is used. */
export function MadeKey({ made, onClose }: { readonly made: OwnedAccessKey; readonly onClose: () => void }) {
  const texts = useTexts();
  const { spec = {} } = made;
  const [shown, setShown] = useState(false);
  const key = spec.key ?? '';
  return (
    <Dialog title={texts.keys.made} onClose={onClose} stays>
      <p>{texts.keys.shownOnce}</p>
      <div className="command">
        <code tabIndex={0} aria-label={texts.keys.theKey}>
          {shown ? key : '•'.repeat(24)}
        </code>
        <Button aria-expanded={shown} onPress={() => setShown(!shown)}>
          {shown ? texts.actions.hide : texts.actions.reveal}
        </Button>
        <CopyButton look="main" text={() => key} label={texts.secrets.copyOf(texts.keys.theKey)} />
      </div>
      <p className="sentence">{scopeSentence(spec.scope, texts.scope)}</p>
      <Tester accessKey={key} />
      <div className="buttons">
        <Button look="main" onPress={onClose}>
          {texts.keys.done}
        </Button>
      </div>
    </Dialog>
  );
}

const RESOURCES = [
  'sharedsecrets',
  'projectsecrets',
  'projects',
  'spaceinstances',
  'virtualclusterinstances',
  'ownedaccesskeys',
  'users',
  'teams',
  'clusters',
] as const;
const VERBS = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'] as const;
const same = <Name extends string>(names: readonly Name[]): Readonly<Record<Name, string>> =>
  Object.fromEntries(names.map((name) => [name, name])) as Readonly<Record<string, string>> as Readonly<
    Record<Name, string>
  >;

/** What the server decides for this very key. */
function Tester({ accessKey }: { readonly accessKey: string }) {
  const texts = useTexts();
  const [asked, setAsked] = useState<Asked>({
    verb: 'get',
    resource: 'sharedsecrets',
    namespace: '',
    name: '',
  });
  const [answer, setAnswer] = useState<Awaited<ReturnType<typeof mayIt>>>();
  const [error, setError] = useState<unknown>();
  const change = (part: Partial<Asked>): void => {
    setAsked({ ...asked, ...part });
    setAnswer(undefined);
  };
  const ask = (): void => {
    setError(undefined);
    mayIt(accessKey, asked).then(setAnswer, (failure: unknown) => {
      const refused = failure instanceof ApiError && failure.code === 403;
      setError(refused ? new Error(texts.keys.cannotAsk) : failure);
    });
  };
  return (
    <section className="nested" aria-labelledby="tester">
      <h3 id="tester">{texts.keys.test}</h3>
      <p className="hint">{texts.keys.testHint}</p>
      <div className="grid">
        <Choice
          label={texts.keys.verb}
          value={asked.verb}
          options={same<string>(VERBS)}
          onChange={(verb) => change({ verb })}
        />
        <Choice
          label={texts.keys.resource}
          value={asked.resource}
          options={same<string>(RESOURCES)}
          onChange={(resource) => change({ resource })}
        />
        <TextField
          label={texts.secrets.namespace}
          value={asked.namespace}
          onChange={(namespace) => change({ namespace })}
        />
        <TextField label={texts.secrets.name} value={asked.name} onChange={(name) => change({ name })} />
      </div>
      <Button onPress={ask}>{texts.keys.ask}</Button>
      <p
        role="status"
        className={answer === undefined ? 'visually-hidden' : `answer ${answer.allowed ? 'yes' : 'no'}`}
      >
        {answer !== undefined && (answer.allowed ? texts.keys.yes : `${texts.keys.no} ${answer.reason}`)}
      </p>
      <Fault error={error} />
    </section>
  );
}
