import type { ReactNode } from 'react';
import { useId } from 'react';
import type { Row } from '../../client/forms.js';
import type { LiveState } from '../../live/livelist.js';
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
}

const MOST = 20;

/** How many there are of one resource, and the first of many. */
export function ListCard({ title, heading: Heading = 'h3', resource, state, ...props }: Props) {
  const { rows = state.items, beside } = props;
  const id = useId();
  return (
    <section className="card" aria-labelledby={id}>
      <Heading id={id}>
        {title} ({rows.length})
      </Heading>
      <LiveNote state={state} />
      <ul className="plain">
        {rows.slice(0, MOST).map((row) => {
          const { namespace = '', name = '' } = row.metadata;
          return (
            <li key={`${namespace}/${name}`} className={beside && 'line'}>
              <ObjectLink {...{ resource, namespace, name }} />
              {beside?.(row)}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
