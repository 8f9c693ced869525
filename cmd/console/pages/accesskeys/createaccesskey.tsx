import { useState, useSyncExternalStore } from 'react';
import type { OwnedAccessKey } from '../../../../api/management.svc.example/v1/ownedaccesskey.js';
import { createAccessKey } from '../../client/accesskeys.js';
import type { NewPlace } from '../../client/newkeys/keyplace.js';
import { createKeyCommand } from '../../client/commands/placecommands.js';
import { nearestOf, possibleLifetimes, secondsOf, type Lifetime } from '../../client/newkeys/keylifetimes.js';
import type { ProjectView } from '../../client/projects.js';
import { ROLE_PREFIX } from '../../client/projectedits/projectroles.js';
import { buildScope, NO_FIELDS, type BuiltScope, type ScopeFields } from '../../client/scopes/scopebuild.js';
import { keySentence } from '../../client/scopes/scopetext.js';
import { causesOf } from '../../client/status.js';
import { onSession, sessionState } from '../../session/session.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { Radios } from '../../ui/fields/choice.js';
import { Commands } from '../../ui/commands.js';
import { Dialog } from '../../ui/dialog.js';
import { Fault } from '../../ui/fault.js';
import { NameFields, NO_NAMES } from '../../ui/fields/namefields.js';
import { useSubmit } from '../../ui/usesubmit.js';
import { updating, useProjectsWhere } from '../projects/useprojectswhere.js';
import { KeyLifetime, useKeyLimits } from './keylifetime.js';
import { KeyPlaceFields } from './keyplacefields.js';
import { MadeKey } from './madekey.js';
import { ScopeFieldset } from './scopefieldset.js';

export interface Props {
  /** The project that the key is of at first; absent: it is the user's own. */
  readonly project?: string;
  readonly onClose: () => void;
}

const placeIn = (project: string): NewPlace => ({
  project,
  clusterRole: `${ROLE_PREFIX}user`,
  endsWithMaker: false,
});

/** Creates an access key. The rights that it has are described in a sentence before the key is created. */
export function CreateAccessKey({ project, onClose }: Props) {
  const texts = useTexts();
  const { session } = useSyncExternalStore(onSession, sessionState);
  const [names, setNames] = useState(NO_NAMES);
  const [lifetime, setLifetime] = useState<Lifetime>('month');
  const [place, setPlace] = useState(project === undefined ? undefined : placeIn(project));
  const [fields, setFields] = useState<ScopeFields>();
  const [made, setMade] = useState<OwnedAccessKey>();
  // Not at each key that is pressed: the server is asked with the name of a project that is whole.
  const [whole, setWhole] = useState(project);
  const projects = useKeyProjects();
  const choose = (whose: 'me' | 'project'): void => {
    const first = project ?? (projects.length === 1 ? projects[0]?.metadata.name : undefined);
    setPlace(whose === 'me' ? undefined : placeIn(first ?? ''));
    setWhole(first);
  };
  const limits = useKeyLimits(place, place === undefined || place.project === whole);
  const built = fields === undefined || place !== undefined ? undefined : buildScope(fields);
  const isBad = Object.values(built?.bad ?? {}).flat().length > 0;
  const ttl = secondsOf(nearestOf(lifetime, possibleLifetimes(limits.most)));
  const wanted = { ...names, ttl, scope: built?.scope, place };
  const disabled = isBad || (!limits.possible && !limits.asking);
  const line = isBad || !limits.possible ? undefined : createKeyCommand(wanted, session?.user ?? '');
  const { submit, busy, error } = useSubmit(() => createAccessKey(wanted), setMade, {
    disabled,
    asking: limits.asking,
  });
  if (made !== undefined) return <MadeKey made={made} onClose={onClose} />;
  return (
    <Dialog title={texts.keys.create} onClose={onClose}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        {(project !== undefined || projects.length > 0) && (
          <Radios
            label={texts.keys.whose}
            value={place === undefined ? 'me' : 'project'}
            options={{ me: texts.keys.forMe, project: texts.keys.forProject }}
            onChange={choose}
          />
        )}
        {place !== undefined && (
          <KeyPlaceFields place={place} projects={projects} onChange={setPlace} onProject={setWhole} />
        )}
        <NameFields names={names} nameHint={texts.keys.nameHint} error={error} optional onChange={setNames} />
        <KeyLifetime
          wanted={lifetime}
          limits={limits}
          place={place}
          errors={causesOf(error, 'spec.ttl')}
          onChange={setLifetime}
        />
        {place === undefined && <OwnScope fields={fields} built={built} onChange={setFields} />}
        {place?.project !== '' && (
          <p className="sentence" role="status">
            {keySentence(wanted, texts.scope)}
          </p>
        )}
        {line !== undefined && <Commands lines={[line]} />}
        <Fault error={error} shown={['spec.displayName', 'spec.ttl', 'metadata.name']} />
        <div className="buttons">
          <Button onPress={onClose}>{texts.actions.cancel}</Button>
          <Button look="main" type="submit" isDisabled={busy || disabled}>
            {texts.actions.create}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** The projects of which the user may make keys; none until they are known. */
const useKeyProjects = (): readonly ProjectView[] =>
  (useProjectsWhere(updating) ?? []).filter(({ maxKeyDays }) => maxKeyDays !== 0);

interface ScopeProps {
  /** Undefined: the key may do everything that its user may. */
  readonly fields: ScopeFields | undefined;
  readonly built: BuiltScope | undefined;
  readonly onChange: (fields: ScopeFields | undefined) => void;
}

/** What a key of the user may do. */
function OwnScope({ fields, built, onChange }: ScopeProps) {
  const { keys: texts } = useTexts();
  return (
    <>
      <Radios
        label={texts.scope}
        value={fields === undefined ? 'all' : 'some'}
        options={{ all: texts.scopeAll, some: texts.scopeSome }}
        onChange={(width) => onChange(width === 'all' ? undefined : NO_FIELDS)}
      />
      {fields !== undefined && built !== undefined && (
        <ScopeFieldset fields={fields} bad={built.bad} onChange={onChange} />
      )}
    </>
  );
}
