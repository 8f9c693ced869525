import { Link } from '@tanstack/react-router';
import type { ObjectMeta } from '../../../../api/resource.js';
import { pathOf } from '../../client/paths.js';
import { useTexts } from '../../texts/texts.js';
import { Commands } from '../../ui/commands.js';
import { HistorySection } from '../../ui/history.js';

export interface Props {
  readonly resource: string;
  readonly metadata: ObjectMeta;
  /** The commands that do the same as the page. */
  readonly commands: readonly string[];
}

/** What every page of an object ends with. */
export function ObjectEnd({ resource, metadata, commands }: Props) {
  const { yaml, whoCan } = useTexts();
  const path = pathOf(resource, metadata.namespace, metadata.name);
  return (
    <>
      <HistorySection metadata={metadata} />
      <p>
        <Link to="/whocan" search={{ path }}>
          {whoCan.link}
        </Link>{' '}
        ·{' '}
        <Link to="/yaml" search={{ path }}>
          {yaml.link}
        </Link>
      </p>
      <Commands lines={commands} />
    </>
  );
}
