import { useNavigate, useSearch } from '@tanstack/react-router';
import { useDeferredValue, useMemo, useState } from 'react';
import type { Way } from '../../../../api/management.svc.example/v1/resourceaccessreview.js';
import { whoCanCommand } from '../../client/commands/pagecommands.js';
import { placeOf, type Place } from '../../client/edits/yamlobject.js';
import { useWays, verbWord, waysGraph, waysWith, type Answer } from '../../client/whocan/ways.js';
import { GraphView } from '../../graph/graphview.js';
import type { Texts } from '../../texts/en.js';
import { useTexts } from '../../texts/texts.js';
import { Choice } from '../../ui/fields/choice.js';
import { Commands } from '../../ui/commands.js';
import { Details } from '../../ui/facts.js';
import { ReadFault } from '../../ui/fault.js';
import { Page } from '../../ui/page.js';
import { TextField } from '../../ui/fields/textfield.js';
import { hasPage, ObjectLink } from '../object/objectlink.js';
import { Unread } from './unread.js';
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

const NONE: readonly Way[] = [];
const VERBS = ['get', 'update', 'patch', 'delete'];

/** The verbs besides reading and writing that the server uses, by resource. */
const MORE: Readonly<Record<string, readonly string[]>> = {
  spaceinstances: ['use'],
  virtualclusterinstances: ['use'],
  clusters: ['use', 'import'],
  users: ['impersonate'],
};

function Asked({ place, verb }: { readonly place: Place; readonly verb: string }) {
  const { whoCan: texts, home } = useTexts();
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const wanted = useDeferredValue(typed);
  const { name, resource, path, group, namespace } = place;
  const kinds: Readonly<Record<string, (count: number) => string>> = home.kinds;
  const kind = kinds[resource]?.(1) ?? resource;
  const { data, error } = useWays({ verb, group, resource, namespace, name });
  const { allowed, ways = NONE, unread = [], truncated, incomplete } = data ?? {};
  const shown = useMemo(() => waysWith(ways, wanted), [ways, wanted]);
  const graph = useMemo(
    () => waysGraph(shown, { resource: kind, name, path }, texts),
    [shown, kind, name, path, texts],
  );
  const verbs = [...new Set([...VERBS, ...(MORE[resource] ?? []), verb])];
  return (
    <Page title={texts.title(verbWord(verb, texts), name)}>
      <p className="hint">
        {kind} {hasPage(place) && <ObjectLink {...place}>{texts.back}</ObjectLink>}
      </p>
      <Details>
        <code>{path}</code>
      </Details>
      <div className="bar">
        <Choice
          label={texts.verb}
          value={verb}
          options={Object.fromEntries(verbs.map((one) => [one, verbWord(one, texts)]))}
          onChange={(next) => void navigate({ to: '/whocan', search: { path, verb: next }, replace: true })}
        />
        <TextField label={texts.filter} type="search" value={typed} onChange={setTyped} />
      </div>
      <ReadFault error={error} />
      <p role="status">
        {allowed !== undefined && (
          <span className={allowed ? 'badge enabled' : 'badge ended'}>
            {allowed ? texts.may : texts.mayNot}
          </span>
        )}
      </p>
      {shown.length > 0 && (
        <GraphView graph={graph} label={texts.graph(verbWord(verb, texts), name)} describedBy="ways" />
      )}
      <WaysList ways={shown} none={data === undefined ? '' : noneOf(data, texts)} />
      {truncated && <p className="notice stale">{texts.first(ways.length)}</p>}
      <Unread names={unread.map((source) => (source === 'object' ? resource : source))} />
      {incomplete && <p className="hint">{texts.incomplete}</p>}
      <p className="hint">{texts.limits}</p>
      <Commands lines={[whoCanCommand(place, verb)]} />
    </Page>
  );
}

/** Why no ways are shown. */
function noneOf({ ways = [], unread = [] }: Answer, texts: Texts['whoCan']): string {
  if (ways.length > 0) return texts.noneNamed;
  return unread.length > 0 ? texts.nobodySeen : texts.nobody;
}
