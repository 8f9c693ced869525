import { useState } from 'react';
import type { OwnedAccessKey } from '../../../../api/management.svc.example/v1/ownedaccesskey.js';
import type { Scope } from '../../../../api/management.svc.example/v1/scope.js';
import { keyMay, type Deed } from '../../client/reviews.js';
import { ApiError } from '../../client/status.js';
import { readSecretOf } from '../../client/scopes/scopebuild.js';
import { placeOf } from '../../client/newkeys/keyplace.js';
import { verbWord } from '../../client/whocan/ways.js';
import { keySentence } from '../../client/scopes/scopetext.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { Choice } from '../../ui/fields/choice.js';
import { Dialog } from '../../ui/dialog.js';
import { Fault } from '../../ui/fault.js';
import { KeyValue } from './keyvalue.js';
import { TextField } from '../../ui/fields/textfield.js';

/** Shows a new key once, and tests whether the key has the rights that it needs. */
export function MadeKey({ made, onClose }: { readonly made: OwnedAccessKey; readonly onClose: () => void }) {
  const texts = useTexts();
  const { spec = {} } = made;
  const key = spec.key ?? '';
  return (
    <Dialog title={texts.keys.made} onClose={onClose} stays>
      <p>{texts.keys.shownOnce}</p>
      <KeyValue value={key} />
      <p className="sentence">{keySentence({ place: placeOf(spec), scope: spec.scope }, texts.scope)}</p>
      <Tester accessKey={key} scope={spec.scope} />
      <div className="buttons">
        <Button look="main" onPress={onClose}>
          {texts.keys.done}
        </Button>
      </div>
    </Dialog>
  );
}

/** Each with the word for it. */
const named = (names: readonly string[], word: (name: string) => string): Readonly<Record<string, string>> =>
  Object.fromEntries(names.map((name) => [name, word(name)]));
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
/** `watch` and `patch` are allowed where `list` and `update` are. */
const VERBS = ['get', 'list', 'create', 'update', 'delete'];
const NAMESPACED = ['sharedsecrets', 'projectsecrets', 'spaceinstances', 'virtualclusterinstances'];

interface TesterProps {
  readonly accessKey: string;
  readonly scope: Scope | undefined;
}

/** The server's decisions for this key; the first test is about a secret in its scope. */
function Tester({ accessKey, scope }: TesterProps) {
  const texts = useTexts();
  const [asked, setAsked] = useState<Deed>(() => {
    const [secret = { namespace: '', name: '' }] = (scope?.rules ?? []).flatMap(
      (rule) => readSecretOf(rule) ?? [],
    );
    return { verb: 'get', resource: 'sharedsecrets', ...secret };
  });
  const [answer, setAnswer] = useState<Awaited<ReturnType<typeof keyMay>>>();
  const [error, setError] = useState<unknown>();
  const change = (part: Partial<Deed>): void => {
    setAsked({ ...asked, ...part });
    setAnswer(undefined);
  };
  const ask = (): void => {
    setError(undefined);
    keyMay(accessKey, asked).then(setAnswer, (failure: unknown) => {
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
          options={named(VERBS, (verb) => verbWord(verb, texts.whoCan))}
          onChange={(verb) => change({ verb })}
        />
        <Choice
          label={texts.keys.resource}
          value={asked.resource}
          options={Object.fromEntries(RESOURCES.map((one) => [one, texts.home.kinds[one](1)]))}
          onChange={(resource) =>
            change({ resource, ...(!NAMESPACED.includes(resource) && { namespace: '' }) })
          }
        />
        {NAMESPACED.includes(asked.resource) && (
          <TextField
            label={texts.secrets.namespace}
            value={asked.namespace}
            onChange={(namespace) => change({ namespace })}
          />
        )}
        <TextField label={texts.names.name} value={asked.name} onChange={(name) => change({ name })} />
      </div>
      <Button onPress={ask}>{texts.keys.ask}</Button>
      <p
        role="status"
        className={answer === undefined ? 'visually-hidden' : `answer ${answer.allowed ? 'yes' : 'no'}`}
      >
        {answer !== undefined &&
          (answer.allowed ? texts.keys.yes : `${texts.keys.no} ${answer.reason ?? ''}`)}
      </p>
      <Fault error={error} />
    </section>
  );
}
