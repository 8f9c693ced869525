import { Link } from '@tanstack/react-router';
import { useMemo, useSyncExternalStore } from 'react';
import { ACCESS_KEYS, accessKeyForm } from '../../client/accesskeys.js';
import type { Attention } from '../../client/attention.js';
import { attentionOf } from '../../client/attention.js';
import type { Row } from '../../client/forms.js';
import { tableRows } from '../../client/forms.js';
import type { LiveState } from '../../live/livelist.js';
import { pathOf } from '../../client/paths.js';
import { PROJECTS, projectForm } from '../../client/projects.js';
import { newestRows } from '../../client/searchrows.js';
import { SECRETS } from '../../client/secrets.js';
import { useLive } from '../../live/uselive.js';
import { onSession, sessionState } from '../../session/session.js';
import type { Texts } from '../../texts/en.js';
import { useLanguage, useTexts } from '../../texts/texts.js';
import { relative } from '../../texts/times.js';
import { LiveNote } from '../../ui/livestate.js';
import { Page } from '../../ui/page.js';
import { useNow } from '../../ui/usenow.js';
import { When } from '../../ui/when.js';
import { ObjectLink } from '../object/objectlink.js';

const RECENT = 6;

/** What is yours, what is new, what needs you. */
export function HomePage() {
  const texts = useTexts();
  const { session } = useSyncExternalStore(onSession, sessionState);
  const secrets = useLive<Row>(pathOf(SECRETS), 'table', tableRows);
  const keys = useLive(pathOf(ACCESS_KEYS), 'key', accessKeyForm);
  const projects = useLive(pathOf(PROJECTS), 'project', projectForm);
  const now = useNow();
  const attention = attentionOf(keys.items, projects.items, now);
  const all = [secrets, keys, projects];
  const worst =
    all.find(({ status }) => status === 'stale') ?? all.find(({ status }) => status === 'loading');
  return (
    <Page title={texts.home.title(session?.user ?? '')}>
      <LiveNote state={worst ?? secrets} />
      <div className="cards">
        <section className="card" aria-labelledby="attention">
          <h2 id="attention">{texts.home.attention}</h2>
          {attention.length === 0 ? (
            <p className="hint">{texts.home.nothing}</p>
          ) : (
            <ul className="plain">
              {attention.map((one) => (
                <AttentionLine one={one} texts={texts} key={JSON.stringify(one)} />
              ))}
            </ul>
          )}
        </section>
        <Mine secrets={secrets.items.length} keys={keys.items.length} projects={projects.items.length} />
        <Recent state={secrets} />
      </div>
    </Page>
  );
}

/** How many of each kind the person sees. */
function Mine({
  secrets,
  keys,
  projects,
}: {
  readonly secrets: number;
  readonly keys: number;
  readonly projects: number;
}) {
  const texts = useTexts();
  return (
    <section className="card" aria-labelledby="mine">
      <h2 id="mine">{texts.home.mine}</h2>
      <ul className="counts">
        <li>
          <Link to="/secrets">
            <b>{secrets}</b> {texts.home.kinds.secrets(secrets)}
          </Link>
        </li>
        <li>
          <Link to="/accesskeys">
            <b>{keys}</b> {texts.home.kinds.accessKeys(keys)}
          </Link>
        </li>
        <li>
          <Link to="/projects">
            <b>{projects}</b> {texts.home.kinds.projects(projects)}
          </Link>
        </li>
      </ul>
    </section>
  );
}

/** The newest secrets. */
function Recent({ state }: { readonly state: LiveState<Row> }) {
  const texts = useTexts();
  const recent = useMemo(() => newestRows(state.items, RECENT), [state.items]);
  return (
    <section className="card" aria-labelledby="recent">
      <h2 id="recent">{texts.home.recent}</h2>
      {recent.length === 0 && state.status !== 'loading' && <p className="hint">{texts.home.noSecrets}</p>}
      <ul className="plain">
        {recent.map(({ metadata: { namespace = '', name = '', creationTimestamp = '' } }) => (
          <li key={`${namespace}/${name}`} className="line">
            <ObjectLink resource={SECRETS} namespace={namespace} name={name} />
            <span className="hint">
              {namespace} · <When at={Date.parse(creationTimestamp)} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function AttentionLine({ one, texts }: { readonly one: Attention; readonly texts: Texts }) {
  const { language } = useLanguage();
  const now = useNow();
  const told = (at: number): string => relative(at, now, language);
  switch (one.kind) {
    case 'key ends':
      return (
        <li>
          <Link to="/accesskeys">{texts.home.keyEnds(one.name, told(one.at))}</Link>
        </li>
      );
    case 'key never used':
      return (
        <li>
          <Link to="/accesskeys">{texts.home.keyUnused(one.name, told(one.since))}</Link>
        </li>
      );
    case 'project':
      return (
        <li>
          <Link to="/projects/$name" params={{ name: one.name }}>
            {texts.home.project(one.name, one.type, one.message)}
          </Link>
        </li>
      );
    case 'project is deleted':
      return (
        <li>
          <Link to="/projects/$name" params={{ name: one.name }}>
            {texts.home.projectDeleted(one.name, told(one.since))}
          </Link>
        </li>
      );
  }
}
