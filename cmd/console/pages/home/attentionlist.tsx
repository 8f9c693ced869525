import { severityOf, type Attention } from '../../client/attention.js';
import { useLanguage, useTexts } from '../../texts/texts.js';
import { relative } from '../../texts/times.js';
import { useNow } from '../../ui/usenow.js';
import { ObjectLink } from '../object/objectlink.js';
import { isKind } from './kinds.js';

const MAX = 8;

/** The objects that need the user's attention, the worst first, each with its severity in a word. */
export function AttentionSection({ all }: { readonly all: readonly Attention[] }) {
  const { home } = useTexts();
  const more = all.length - MAX;
  if (all.length === 0) return <p className="hint">{home.nothing}</p>;
  return (
    <section className="card" aria-labelledby="attention">
      <h2 id="attention">{home.attention}</h2>
      <ul className="plain">
        {all.slice(0, MAX).map((one) => (
          <AttentionLine one={one} key={JSON.stringify(one)} />
        ))}
      </ul>
      {more > 0 && <p className="hint">{home.more(more)}</p>}
    </section>
  );
}

function AttentionLine({ one }: { readonly one: Attention }) {
  const { home } = useTexts();
  const { language } = useLanguage();
  const now = useNow();
  const timeText = (at: number): string => relative(at, now, language);
  const { resource, namespace, name } = one;
  const kind = isKind(resource) ? home.kinds[resource](1) : resource;
  const text = (): string => {
    switch (one.kind) {
      case 'ends':
        return home.ends(kind, name, one.owner, timeText(one.at));
      case 'never used':
        return home.unused(kind, name, one.owner, timeText(one.since));
      case 'condition':
        return home.condition(kind, name, one.type, one.message);
      case 'phase':
        return home.phase(kind, name, one.phase, one.message);
      case 'is deleted':
        return home.deleted(kind, name, timeText(one.since));
    }
  };
  const severity = severityOf(one);
  return (
    <li>
      <span className={`badge ${severity}`}>{home.severities[severity]}</span>{' '}
      <ObjectLink resource={resource} namespace={namespace} name={name}>
        {text()}
      </ObjectLink>
    </li>
  );
}
