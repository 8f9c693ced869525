import { useNavigate, useSearch } from '@tanstack/react-router';
import { useDeferredValue, useMemo, useState } from 'react';
import { command } from '../../client/commands/command.js';
import { placeOf, type Place } from '../../client/edits/yamlobject.js';
import { useMayKnown } from '../../client/reviews.js';
import { MAX_SHOWN_WAYS, askedOf, waysWith } from '../../client/whocan/ways.js';
import { waysGraph } from '../../client/whocan/waysgraph.js';
import { GraphView } from '../../graph/graphview.js';
import { useTexts } from '../../texts/texts.js';
import { Choice } from '../../ui/fields/choice.js';
import { Commands } from '../../ui/commands.js';
import { LiveNote } from '../../ui/livestate.js';
import { Page } from '../../ui/page.js';
import { TextField } from '../../ui/fields/textfield.js';
import { hasPage, ObjectLink } from '../object/objectlink.js';
import { useWays } from './useways.js';
import { WaysList } from './wayslist.js';

/** The subjects that have a right on one object, and the sources of the right. */
export function WhoCanPage() {
  const texts = useTexts();
  const { path = '', verb = 'get' } = useSearch({ from: '/whocan' });
  const place = placeOf(path);
  if (place !== undefined && /^[a-z]{1,30}$/.test(verb))
    return <Asked key={place.path} place={place} verb={verb} />;
  return (
    <Page title={texts.whoCan.link}>
      <p className="empty">{texts.state.notFound}</p>
    </Page>
  );
}

const VERBS = ['get', 'update', 'patch', 'delete'];

/** The verbs besides reading and writing that the server uses, by resource. */
const MORE: Readonly<Record<string, readonly string[]>> = {
  spaceinstances: ['use'],
  virtualclusterinstances: ['use'],
  clusters: ['use', 'import'],
  users: ['impersonate'],
};

function Asked({ place, verb }: { readonly place: Place; readonly verb: string }) {
  const { whoCan: texts } = useTexts();
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const wanted = useDeferredValue(typed);
  const { ways, unseen, state } = useWays(place, verb);
  const { name, resource, path } = place;
  const shown = useMemo(() => waysWith(ways, wanted), [ways, wanted]);
  const graph = useMemo(
    () => waysGraph(shown, { resource, name, path }, texts.kinds),
    [shown, resource, name, path, texts],
  );
  const verbs = [...new Set([...VERBS, ...(MORE[resource] ?? []), verb])];
  return (
    <Page title={texts.title(verb, name)}>
      <p className="hint">
        {path} {hasPage(place) && <ObjectLink {...place}>{texts.back}</ObjectLink>}
      </p>
      <div className="bar">
        <Choice
          label={texts.verb}
          value={verb}
          options={Object.fromEntries(verbs.map((one) => [one, one]))}
          onChange={(next) => void navigate({ to: '/whocan', search: { path, verb: next }, replace: true })}
        />
        <TextField label={texts.filter} type="search" value={typed} onChange={setTyped} />
      </div>
      <LiveNote state={state} />
      <You place={place} verb={verb} />
      {shown.length > 0 && <GraphView graph={graph} label={texts.graph(verb, name)} describedBy="ways" />}
      <WaysList ways={shown} loading={state.status === 'loading'} />
      {ways.length === MAX_SHOWN_WAYS && <p className="notice stale">{texts.first(MAX_SHOWN_WAYS)}</p>}
      {unseen.length > 0 && (
        <p className="notice stale">
          {texts.unseen(unseen.map((source) => texts.sources[source]).join(', '))}
        </p>
      )}
      <p className="hint">{texts.limits}</p>
      <Commands lines={[mayI(place, verb)]} />
    </Page>
  );
}

/** Whether the current user has the right. */
function You({ place, verb }: { readonly place: Place; readonly verb: string }) {
  const { whoCan: texts } = useTexts();
  const may = useMayKnown(askedOf(place, verb));
  return (
    <p role="status">
      {may !== undefined && (
        <span className={may ? 'badge enabled' : 'badge ended'}>{may ? texts.may : texts.mayNot}</span>
      )}
    </p>
  );
}

function mayI(place: Place, verb: string): string {
  const { group, resource, namespace, name } = askedOf(place, verb);
  // With the original group, kubectl would impersonate a user of the management API.
  if (group !== place.group) return command('kubectl', 'auth', 'whoami', '--as', name);
  const kind = group === '' ? resource : `${resource}.${group}`;
  const within = namespace === '' ? [] : ['--namespace', namespace];
  return command('kubectl', 'auth', 'can-i', verb, `${kind}/${name}`, ...within);
}
