import { Link } from '@tanstack/react-router';
import { Suspense, useMemo, useState } from 'react';
import type { Row } from '../../client/forms.js';
import { useMay } from '../../client/reviews.js';
import { newestRows } from '../../client/searchrows.js';
import { PROJECT_SECRETS, SECRETS } from '../../client/secrets.js';
import type { LiveState } from '../../live/livelist.js';
import { lazyPart } from '../../shell/lazypart.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { LiveNote } from '../../ui/livestate.js';
import { Table } from '../../ui/table.js';
import { When } from '../../ui/when.js';
import { ObjectLink } from '../object/objectlink.js';

const CreateSecret = lazyPart(() => import('../secrets/createsecret.js'), 'CreateSecret');

/** The number of secrets that are shown, the newest. */
const MAX = 10;

export interface Props {
  readonly project: string;
  readonly namespace: string;
  readonly own: LiveState<Row>;
  /** Shared secrets in the namespace of the project. */
  readonly shared: LiveState<Row>;
}

/** The secrets of a project, with a button for users who may make one. */
export function ProjectSecrets({ project, namespace, own, shared }: Props) {
  const { secrets: texts, projects, home } = useTexts();
  const [creating, setCreating] = useState(false);
  const mayCreate = useMay({ verb: 'create', resource: PROJECT_SECRETS, namespace, name: '' });
  const { columns } = texts;
  const rows = useMemo(
    () => [
      ...own.items.map((row) => ({ ...row, resource: PROJECT_SECRETS })),
      ...shared.items.map((row) => ({ ...row, resource: SECRETS })),
    ],
    [own.items, shared.items],
  );
  const more = rows.length - MAX;
  return (
    <section aria-labelledby="secrets" className="listed">
      <div className="section-head">
        <h2 id="secrets">{texts.title}</h2>
        {mayCreate && <Button onPress={() => setCreating(true)}>{texts.create}</Button>}
      </div>
      <LiveNote state={own} />
      {own.status === 'live' && rows.length === 0 && <p className="empty">{projects.noSecrets}</p>}
      {rows.length > 0 && (
        <Table
          labelledBy="secrets"
          heads={[columns.name, columns.displayName, columns.where, columns.owner, columns.age]}
          rows={newestRows(rows, MAX).map(({ resource, metadata, cells }) => ({
            key: `${resource}/${metadata.name}`,
            cells: [
              <ObjectLink key="name" resource={resource} namespace={namespace} name={metadata.name ?? ''} />,
              cells['Display Name'],
              resource === SECRETS ? texts.shared(namespace) : texts.inProject(project),
              cells.Owner,
              <When key="age" at={Date.parse(metadata.creationTimestamp ?? '')} />,
            ],
          }))}
        />
      )}
      {more > 0 && (
        <p>
          <Link to="/secrets" search={{ q: `${namespace}/` }}>
            {home.more(more)}
          </Link>
        </p>
      )}
      <Suspense fallback={null}>
        {creating && <CreateSecret project={project} onClose={() => setCreating(false)} />}
      </Suspense>
    </section>
  );
}
