import { Link } from '@tanstack/react-router';
import { useId, type ReactNode } from 'react';
import type { Row } from '../../client/forms.js';
import type { LiveState } from '../../live/livelist.js';
import { useTexts } from '../../texts/texts.js';
import { LiveNote } from '../../ui/livestate.js';
import { ObjectLink } from './objectlink.js';

export interface Props {
  readonly title: string;
  /** The level of the title's heading; absent: `h3`, below another title. */
  readonly heading?: 'h2' | 'h3';
  readonly resource: string;
  readonly state: LiveState<Row>;
  /** The rows to show; absent: all rows of the list. */
  readonly rows?: readonly Row[];
  /** The content beside the name of each row. */
  readonly beside?: (row: Row) => ReactNode;
  /** The search text that finds the rows in the page with the complete list. */
  readonly search?: string;
}

const MAX = 10;
/** The pages with the complete lists. */
const LISTS = {
  projects: '/projects',
  sharedsecrets: '/secrets',
  projectsecrets: '/secrets',
  spaceinstances: '/spaces',
  virtualclusterinstances: '/virtualclusters',
  ownedaccesskeys: '/accesskeys',
  clusters: '/clusters',
} as const;
const hasList = (resource: string): resource is keyof typeof LISTS => Object.hasOwn(LISTS, resource);

/** The number of objects of one resource, and the first of them. */
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
              <ObjectLink resource={resource} namespace={namespace} name={name} />
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
