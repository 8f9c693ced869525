import type { ObjectMeta } from '../../../../api/resource.js';
import { Commands } from '../../ui/commands.js';
import { HistorySection } from '../../ui/history.js';

export interface Props {
  readonly resource: string;
  readonly metadata: ObjectMeta;
  /** The commands that do the same as the page. */
  readonly commands: readonly string[];
}

/** The end of the page of an object. */
export function ObjectEnd({ resource, metadata, commands }: Props) {
  return (
    <>
      <HistorySection resource={resource} metadata={metadata} />
      <Commands lines={commands} />
    </>
  );
}
