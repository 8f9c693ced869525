import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useId } from 'react';
import type { Row } from '../../client/forms.js';
import type { LiveState } from '../../live/livelist.js';
import { useTexts } from '../../texts/texts.js';
import { LiveNote } from '../../ui/livestate.js';
import { ObjectLink } from './objectlink.js';

export interface Props {
  readonly title: string;
  /** Of the title; absent: below another. */
  readonly heading?: 'h2' | 'h3';
  readonly resource: string;
  readonly state: LiveState<Row>;
  /** Those of the list that are meant; absent: all. */
  readonly rows?: readonly Row[];
  /** What is told of each beside its name. */
  readonly beside?: (row: Row) => ReactNode;
  /** What finds them in the list of all. */
  readonly search?: string;
}

const MAX = 10;
/** Where all are listed. */
const LISTS = {
  projects: '/projects',
  sharedsecrets: '/secrets',
  spaceinstances: '/spaces',
  virtualclusterinstances: '/virtualclusters',
  ownedaccesskeys: '/accesskeys',
  clusters: '/clusters',
} as const;
const hasList = (resource: string): resource is keyof typeof LISTS => Object.hasOwn(LISTS, resource);

/** How many there are of one resource, and the first of many. */
export function ListCard({ title, heading: Heading = 'h3', resource, state, ...props }: Props) {
  const { rows = state.items, beside, search } = props;
  const { home } = useTexts();
  const id = useId();
  const more = rows.length - MAX;
  return (
    <section className="card" aria-labelledby={id}>
      <Heading id={id}>
        {title} ({rows.length})
      </Heading>
      <LiveNote state={state} />
      <ul className="plain">
        {rows.slice(0, MAX).map((row) => {
          const { namespace = '', name = '' } = row.metadata;
          return (
            <li key={`${namespace}/${name}`} className={beside && 'line'}>
              <ObjectLink {...{ resource, namespace, name }} />
              {beside?.(row)}
            </li>
          );
        })}
      </ul>
      {more > 0 && (
        <p>
          {search !== undefined && hasList(resource) ? (
            <Link to={LISTS[resource]} search={{ q: search }}>
              {home.more(more)}
            </Link>
          ) : (
            home.more(more)
          )}
        </p>
      )}
    </section>
  );
}
