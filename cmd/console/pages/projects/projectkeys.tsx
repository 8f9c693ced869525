import { Suspense, useState } from 'react';
import { ACCESS_KEYS, accessKeyForm, type AccessKeyView } from '../../client/accesskeys.js';
import { shortRole } from '../../client/projectedits/projectroles.js';
import { PROJECTS, type ProjectView } from '../../client/projects.js';
import { pathOf, withQuery } from '../../client/paths.js';
import { useMay } from '../../client/reviews.js';
import { useLive } from '../../live/uselive.js';
import { lazyPart } from '../../shell/lazypart.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { LiveNote } from '../../ui/livestate.js';
import { Table } from '../../ui/table.js';
import { useNow } from '../../ui/usenow.js';
import { When } from '../../ui/when.js';
import { KeyState } from '../accesskeys/keystate.js';
import { ObjectLink } from '../object/objectlink.js';

const CreateAccessKey = lazyPart(() => import('../accesskeys/createaccesskey.js'), 'CreateAccessKey');

/** The access keys of a project, for those who may change its members. */
export function ProjectKeys({ project }: { readonly project: ProjectView }) {
  const { name = '', resourceVersion = '', deletionTimestamp } = project.metadata;
  const mayPatch = useMay({ verb: 'patch', resource: PROJECTS, namespace: '', name }, resourceVersion);
  return mayPatch && deletionTimestamp === undefined ? <Keys project={name} /> : null;
}

function Keys({ project }: { readonly project: string }) {
  const { keys: texts, projects, scope, names } = useTexts();
  const [creating, setCreating] = useState(false);
  const path = withQuery(pathOf(ACCESS_KEYS), { fieldSelector: `spec.project=${project}` });
  const state = useLive<AccessKeyView>(path, 'key', accessKeyForm);
  const { columns } = texts;
  const now = useNow();
  return (
    <section aria-labelledby="keys" className="listed">
      <div className="section-head">
        <h2 id="keys">{texts.title}</h2>
        <Button onPress={() => setCreating(true)}>{texts.create}</Button>
      </div>
      <LiveNote state={state} />
      {state.status === 'live' && state.items.length === 0 && <p className="empty">{texts.noneOfProject}</p>}
      {state.items.length > 0 && (
        <Table
          labelledBy="keys"
          heads={[names.name, columns.state, projects.role, columns.expires, columns.used]}
          rows={state.items.map((shown) => {
            const { metadata, place, expires = 0, lastActivity } = shown;
            return {
              key: metadata.name ?? '',
              cells: [
                <ObjectLink key="name" resource={ACCESS_KEYS} namespace="" name={metadata.name ?? ''} />,
                <KeyState key="state" shown={shown} now={now} />,
                shortRole(place?.clusterRole ?? '', scope.roles),
                <When key="ends" at={expires} />,
                lastActivity === undefined ? texts.never : <When key="used" at={Date.parse(lastActivity)} />,
              ],
            };
          })}
        />
      )}
      <Suspense fallback={null}>
        {creating && <CreateAccessKey project={project} onClose={() => setCreating(false)} />}
      </Suspense>
    </section>
  );
}
