import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { ObjectMeta } from '../../../../api/resource.js';
import { moveSpaceCommand } from '../../client/commands/placecommands.js';
import { moveSpace, SPACE } from '../../client/instances.js';
import { pathOf } from '../../client/paths.js';
import { PROJECTS, projectForm } from '../../client/projects.js';
import { useMayKnown } from '../../client/reviews.js';
import { causesOf } from '../../client/status.js';
import { useLive } from '../../live/uselive.js';
import { useTexts } from '../../texts/texts.js';
import { Commands } from '../../ui/commands.js';
import { FormDialog } from '../../ui/formdialog.js';
import { ProjectChoice } from './projectchoice.js';

export interface Props {
  readonly metadata: ObjectMeta;
  /** The current project. */
  readonly project: string;
  readonly prefix: string;
  readonly onClose: () => void;
}

/** Moves a space to another project. */
export function MoveSpace({ metadata, project, prefix, onClose }: Props) {
  const { instances: texts } = useTexts();
  const navigate = useNavigate();
  const { items } = useLive(pathOf(PROJECTS), 'project', projectForm);
  const others = items.filter(({ metadata: { name } }) => name !== project);
  const [chosen, setChosen] = useState<string>();
  const to = chosen ?? others[0]?.metadata.name ?? '';
  const namespace = prefix + to;
  const { name = '' } = metadata;
  const may = useMayKnown({ verb: 'create', resource: SPACE.resource, namespace, name: '' });
  const move = async (): Promise<void> => {
    await moveSpace(metadata, to);
    await navigate({ to: '/spaces/$namespace/$name', params: { namespace, name } });
  };
  const mayNot = to !== '' && may === false;
  return (
    <FormDialog
      title={texts.moveTitle(name)}
      action={texts.move}
      disabled={to === '' || may === false}
      asking={may === undefined}
      shown={['sourceSpaceInstance']}
      onClose={onClose}
      onSubmit={move}
    >
      {(error) => (
        <>
          <p>{texts.moveHint}</p>
          {others.length === 0 ? (
            <p className="empty">{texts.noOtherProject}</p>
          ) : (
            <ProjectChoice
              label={texts.moveTo}
              projects={others}
              value={to}
              onChange={setChosen}
              errors={mayNot ? [texts.mayNotCreate] : causesOf(error, 'sourceSpaceInstance')}
            />
          )}
          <Commands lines={[moveSpaceCommand(name, project, to)]} />
        </>
      )}
    </FormDialog>
  );
}
