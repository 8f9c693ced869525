import { useState } from 'react';
import type { OwnedAccessKey } from '../../../../api/management.svc.example/v1/ownedaccesskey.js';
import { createAccessKey } from '../../client/accesskeys.js';
import { createKeyCommand } from '../../client/commands/placecommands.js';
import { buildScope, NO_FIELDS } from '../../client/scopebuild.js';
import { scopeSentence } from '../../client/scopetext.js';
import { causesOf } from '../../client/status.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { Choice, Radios } from '../../ui/fields/choice.js';
import { Commands } from '../../ui/commands.js';
import { Dialog } from '../../ui/dialog.js';
import { Fault } from '../../ui/fault.js';
import { NameFields, NO_NAMES, type Names } from '../../ui/fields/namefields.js';
import { useSubmit } from '../../ui/usesubmit.js';
import { MadeKey } from './madekey.js';
import { ScopeFieldset } from './scopefieldset.js';

const DAY = 86_400;
const SECONDS = { day: DAY, month: 30 * DAY, quarter: 90 * DAY, year: 365 * DAY, none: 0 } as const;
type Lifetime = keyof typeof SECONDS;

interface Draft extends Names {
  readonly lifetime: Lifetime;
}
const NEW: Draft = { ...NO_NAMES, lifetime: 'month' };

/** Creates an access key. The rights that its scope gives are described in a sentence before the key is created. */
export function CreateAccessKey({ onClose }: { readonly onClose: () => void }) {
  const texts = useTexts();
  const [draft, setDraft] = useState(NEW);
  const [width, setWidth] = useState<'all' | 'some'>('all');
  const [fields, setFields] = useState(NO_FIELDS);
  const [made, setMade] = useState<OwnedAccessKey>();
  const { scope: built, bad } = buildScope(fields);
  const scope = width === 'all' ? undefined : built;
  const isBad = width === 'some' && Object.values(bad).flat().length > 0;
  const { name, displayName } = draft;
  const ttl = SECONDS[draft.lifetime];
  const wanted = { name, displayName, ttl, scope };
  const create = () => createAccessKey(wanted);
  const line = isBad ? undefined : createKeyCommand(wanted);
  const { submit, busy, error } = useSubmit(create, setMade);
  if (made !== undefined) return <MadeKey made={made} onClose={onClose} />;
  return (
    <Dialog title={texts.keys.create} onClose={onClose}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (!isBad) submit();
        }}
      >
        <DraftFields draft={draft} error={error} onChange={setDraft} />
        <Radios
          label={texts.keys.scope}
          value={width}
          options={{ all: texts.keys.scopeAll, some: texts.keys.scopeSome }}
          onChange={setWidth}
        />
        {width === 'some' && <ScopeFieldset fields={fields} bad={bad} onChange={setFields} />}
        <p className="sentence" role="status">
          {scopeSentence(scope, texts.scope)}
        </p>
        {line !== undefined && <Commands lines={[line]} />}
        <Fault error={error} shown={['spec.displayName', 'spec.ttl', 'metadata.name']} />
        <div className="buttons">
          <Button onPress={onClose}>{texts.actions.cancel}</Button>
          <Button look="main" type="submit" isDisabled={busy || isBad}>
            {texts.actions.create}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function DraftFields({
  draft,
  error,
  onChange,
}: {
  readonly draft: Draft;
  readonly error: unknown;
  readonly onChange: (draft: Draft) => void;
}) {
  const texts = useTexts();
  return (
    <>
      <NameFields
        names={draft}
        nameHint={texts.keys.nameHint}
        error={error}
        optional={true}
        onChange={(names) => onChange({ ...draft, ...names })}
      />
      <Choice
        label={texts.keys.lifetime}
        hint={texts.keys.lifetimeHint}
        value={draft.lifetime}
        options={texts.keys.lifetimes}
        onChange={(lifetime) => onChange({ ...draft, lifetime })}
        errors={causesOf(error, 'spec.ttl')}
      />
    </>
  );
}
