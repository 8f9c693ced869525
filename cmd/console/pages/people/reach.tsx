import { Link } from '@tanstack/react-router';
import { pathOf } from '../../client/paths.js';
import { useReach, type Reached, type Subject } from '../../client/whocan/reach.js';
import { shownAs } from '../../client/whocan/ways.js';
import type { Texts } from '../../texts/en.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { ReadFault } from '../../ui/fault.js';
import { Table } from '../../ui/table.js';
import { ObjectLink } from '../object/objectlink.js';

/** What a user or a team can read of what the current user sees, and by what. */
export function ReachSection({ subject }: { readonly subject: Subject }) {
  const { reach: texts } = useTexts();
  const { data, error, isFetching, hasNextPage, fetchNextPage } = useReach(subject);
  const pages = data?.pages ?? [];
  const reached = pages.flatMap(({ objects = [] }) => objects);
  const unread = new Set(pages.flatMap((page) => page.unread ?? []));
  return (
    <section aria-labelledby="reach" className="listed">
      <h2 id="reach">{texts.title(subject.user ?? subject.team ?? '')}</h2>
      <p className="hint">{texts.hint}</p>
      <p role="status">
        {isFetching ? texts.searching : data === undefined ? '' : texts.count(reached.length, hasNextPage)}
      </p>
      <ReadFault error={error ?? undefined} />
      <ReachedTable reached={reached} />
      {hasNextPage && (
        <div className="buttons start">
          <Button isDisabled={isFetching} onPress={() => void fetchNextPage()}>
            {texts.more}
          </Button>
        </div>
      )}
      <Limits unread={[...unread]} incomplete={pages.some((page) => page.incomplete === true)} />
    </section>
  );
}

function ReachedTable({ reached }: { readonly reached: readonly Reached[] }) {
  const texts = useTexts();
  if (reached.length === 0) return null;
  const kinds: Readonly<Record<string, (count: number) => string>> = texts.home.kinds;
  return (
    <Table
      labelledBy="reach"
      heads={[texts.names.name, texts.reach.kind, texts.reach.by]}
      rows={reached.map(({ resource, namespace = '', name, ways, truncated = false }) => {
        const path = pathOf(resource, namespace, name);
        return {
          key: path,
          cells: [
            <ObjectLink key="name" resource={resource} namespace={namespace} name={name}>
              {namespace === '' ? name : `${namespace} / ${name}`}
            </ObjectLink>,
            kinds[resource]?.(1) ?? resource,
            <Link key="by" to="/whocan" search={{ path, verb: 'get' }} preload={false}>
              {byOf(ways, truncated, texts)}
            </Link>,
          ],
        };
      })}
    />
  );
}

/** The first way in words, without the person or the key that it leads from. */
function byOf(ways: Reached['ways'], isCut: boolean, { whoCan, reach }: Texts): string {
  const [first] = ways;
  const steps = first?.steps ?? [];
  const [from] = steps;
  const told = from?.kind === 'User' || from?.kind === 'TeamKey' ? steps.slice(1) : steps;
  const words = told.map((step) => {
    const [kind, name] = shownAs(step);
    return `${whoCan.kinds[kind]} ${name}`.trim();
  });
  return `${words.join(' → ')}${ways.length > 1 ? ` ${reach.ways(ways.length - 1, isCut)}` : ''}`;
}

function Limits(props: { readonly unread: readonly string[]; readonly incomplete: boolean }) {
  const { unread, incomplete } = props;
  const { whoCan: texts } = useTexts();
  return (
    <>
      {unread.length > 0 && <p className="hint">{texts.unread(unread.join(', '))}</p>}
      {incomplete && <p className="hint">{texts.incomplete}</p>}
    </>
  );
}
