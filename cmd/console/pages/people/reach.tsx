import { Link } from '@tanstack/react-router';
import { pathOf } from '../../client/paths.js';
import { useReach, type Reached, type Subject } from '../../client/whocan/reach.js';
import { wayWords } from '../../client/whocan/waywords.js';
import { projectOf, useNamespacePrefix } from '../../client/useprefix.js';
import type { Texts } from '../../texts/en.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { ReadFault } from '../../ui/fault.js';
import { Table } from '../../ui/table.js';
import { SHARED_NAMESPACE } from '../secrets/usesecretplaces.js';
import { Unread } from '../whocan/unread.js';
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
  const prefix = useNamespacePrefix();
  if (reached.length === 0) return null;
  const kinds: Readonly<Record<string, (count: number) => string>> = texts.home.kinds;
  return (
    <Table
      labelledBy="reach"
      heads={[texts.names.name, texts.reach.kind, texts.reach.byWhat]}
      rows={reached.map(({ resource, namespace = '', name, ways, truncated = false }) => {
        const path = pathOf(resource, namespace, name);
        return {
          key: path,
          cells: [
            <span key="name">
              <ObjectLink resource={resource} namespace={namespace} name={name} />{' '}
              <span className="hint">{whereOf(namespace, prefix, texts)}</span>
            </span>,
            kinds[resource]?.(1) ?? resource,
            <Link key="by" to="/whocan" search={{ path, verb: 'get' }} preload={false}>
              {byOf(ways, truncated, prefix, texts)}
            </Link>,
          ],
        };
      })}
    />
  );
}

/** The place of an object beside its name; empty: it has none, or shared secrets are there. */
function whereOf(namespace: string, prefix: string | undefined, { secrets }: Texts): string {
  const project = projectOf(namespace, prefix);
  if (project !== '') return secrets.inProject(project);
  return namespace === '' || namespace === SHARED_NAMESPACE ? '' : secrets.namespaceOf(namespace);
}

/** The first way in words. */
function byOf(
  ways: Reached['ways'],
  isCut: boolean,
  prefix: string | undefined,
  texts: Pick<Texts, 'reach' | 'scope'>,
): string {
  const [first] = ways;
  const words = wayWords(first?.steps ?? [], prefix, texts);
  return `${words}${ways.length > 1 ? ` ${texts.reach.ways(ways.length - 1, isCut)}` : ''}`;
}

function Limits(props: { readonly unread: readonly string[]; readonly incomplete: boolean }) {
  const { unread, incomplete } = props;
  const { whoCan: texts } = useTexts();
  return (
    <>
      <Unread names={unread} />
      {incomplete && <p className="hint">{texts.incomplete}</p>}
    </>
  );
}
