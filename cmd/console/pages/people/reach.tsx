import { Link } from '@tanstack/react-router';
import { pathOf } from '../../client/paths.js';
import {
  AT_ONCE,
  NOTHING_REACHED,
  searchReach,
  type Reach,
  type Reached,
  type Subject,
} from '../../client/whocan/reach.js';
import { shownAs } from '../../client/whocan/ways.js';
import type { Texts } from '../../texts/en.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { ReadFault } from '../../ui/fault.js';
import { useRowsOf } from '../../ui/lists/userowsof.js';
import { Table } from '../../ui/table.js';
import { useSearch } from '../../ui/usesearch.js';
import { ObjectLink } from '../object/objectlink.js';

const RESOURCES = [
  'projects',
  'sharedsecrets',
  'projectsecrets',
  'spaceinstances',
  'virtualclusterinstances',
  'clusters',
] as const;

/** What a user or a team can read of what the current user sees, and by what. The server is asked on demand. */
export function ReachSection({ subject }: { readonly subject: Subject }) {
  const { reach: texts, actions } = useTexts();
  const { items, status } = useRowsOf(RESOURCES);
  const { found, state, error, start, stop } = useSearch(searchReach, NOTHING_REACHED);
  const { rest } = found;
  const progress = progressOf(found, state === 'stopped', texts);
  return (
    <section aria-labelledby="reach" className="listed">
      <h2 id="reach">{texts.title(subject.name)}</h2>
      <p className="hint">{texts.hint}</p>
      {state === 'searching' ? (
        <Button onPress={stop}>{actions.stop}</Button>
      ) : (
        <div className="buttons start">
          <Button
            isDisabled={status === 'loading'}
            onPress={() => start({ subject, rows: items, before: NOTHING_REACHED })}
          >
            {state === 'unasked' ? texts.search : texts.again}
          </Button>
          {state === 'done' && rest.length > 0 && (
            <Button onPress={() => start({ subject, rows: rest, before: found })}>
              {texts.next(Math.min(rest.length, AT_ONCE))}
            </Button>
          )}
        </div>
      )}
      {/* Screen readers are told of the end, and not of every answer. */}
      {state === 'searching' && <p>{progress}</p>}
      <p role="status">{(state === 'done' || state === 'stopped') && progress}</p>
      <ReadFault error={error} />
      <ReachedTable reached={found.reached} />
      <Limits found={found} />
    </section>
  );
}

const progressOf = (
  { reached, answered, asked, rest }: Reach,
  isStopped: boolean,
  texts: Texts['reach'],
): string =>
  [
    texts.count(reached.length, answered, asked),
    isStopped ? texts.stopped : '',
    rest.length > 0 ? texts.more(rest.length) : '',
  ]
    .filter(Boolean)
    .join(' ');

function ReachedTable({ reached }: { readonly reached: readonly Reached[] }) {
  const texts = useTexts();
  if (reached.length === 0) return null;
  const kinds: Readonly<Record<string, (count: number) => string>> = texts.home.kinds;
  return (
    <Table
      labelledBy="reach"
      heads={[texts.names.name, texts.reach.kind, texts.reach.by]}
      rows={reached.map(({ row: { resource, metadata }, ways }) => {
        const { namespace = '', name = '' } = metadata;
        const path = pathOf(resource, namespace, name);
        return {
          key: path,
          cells: [
            <ObjectLink key="name" resource={resource} namespace={namespace} name={name}>
              {namespace === '' ? name : `${namespace} / ${name}`}
            </ObjectLink>,
            kinds[resource]?.(1) ?? resource,
            <Link key="by" to="/whocan" search={{ path, verb: 'get' }} preload={false}>
              {byOf(ways, texts)}
            </Link>,
          ],
        };
      })}
    />
  );
}

/** The first way in words, without the person or the key that it leads from. */
function byOf(ways: Reached['ways'], { whoCan, reach }: Texts): string {
  const [first] = ways;
  const steps = first?.steps ?? [];
  const [from] = steps;
  const told = from?.kind === 'User' || from?.kind === 'TeamKey' ? steps.slice(1) : steps;
  const words = told.map((step) => {
    const [kind, name] = shownAs(step);
    return `${whoCan.kinds[kind]} ${name}`.trim();
  });
  return `${words.join(' → ')}${ways.length > 1 ? ` ${reach.ways(ways.length - 1)}` : ''}`;
}

function Limits({ found: { unread, incomplete } }: { readonly found: Reach }) {
  const { whoCan: texts } = useTexts();
  return (
    <>
      {unread.length > 0 && <p className="hint">{texts.unread(unread.join(', '))}</p>}
      {incomplete && <p className="hint">{texts.incomplete}</p>}
    </>
  );
}
